//! The programs that run the words after them, and the flags of theirs that take a word.

/// A program that runs the words after it: which of its flags take a word, and how many words come first.
pub(super) struct Wrapper {
    pub(super) name: &'static str,
    flags: &'static [&'static str],
    pub(super) words: usize,
}

const fn wrapper(name: &'static str, flags: &'static [&'static str], words: usize) -> Wrapper {
    Wrapper { name, flags, words }
}

impl Wrapper {
    /// Whether a flag, without a value of its own, takes the next word.
    pub(super) fn takes_word(&self, flag: &str) -> bool {
        if flag.starts_with("--") {
            // Programs take the beginning of a long flag for the flag.
            return flag.len() > 2 && self.flags.iter().any(|own| own.starts_with(flag));
        }
        // `-la NAME`: several letters in one word; the first that takes a word takes what is left of it.
        let mut letters = flag.chars().skip(1);
        while let Some(letter) = letters.next() {
            if self
                .flags
                .iter()
                .any(|own| own.strip_prefix('-').is_some_and(|own| own.len() == 1 && own.starts_with(letter)))
            {
                return letters.next().is_none();
            }
        }
        false
    }
}

pub(super) const WRAPPERS: [Wrapper; 61] = [
    wrapper("env", &["-u", "--unset", "-C", "--chdir", "-a", "--argv0"], 0),
    wrapper("command", &[], 0),
    wrapper("builtin", &[], 0),
    wrapper("exec", &["-a"], 0),
    wrapper("nohup", &[], 0),
    wrapper("setsid", &[], 0),
    wrapper("time", &["-f", "-o", "--format", "--output"], 0),
    wrapper("nice", &["-n", "--adjustment"], 0),
    wrapper("ionice", &["-c", "-n", "-p", "-P", "-u", "--class", "--classdata"], 0),
    wrapper("timeout", &["-s", "-k", "--signal", "--kill-after"], 1),
    wrapper("stdbuf", &["-i", "-o", "-e", "--input", "--output", "--error"], 0),
    wrapper("unbuffer", &[], 0),
    wrapper(
        "sudo",
        &[
            "-u",
            "-g",
            "-p",
            "-C",
            "-h",
            "-r",
            "-t",
            "-D",
            "-T",
            "-U",
            "-R",
            "--user",
            "--group",
            "--chdir",
            "--prompt",
            "--host",
            "--role",
            "--type",
            "--chroot",
            "--other-user",
            "--command-timeout",
            "--close-from",
        ],
        0,
    ),
    wrapper("doas", &["-u", "-C"], 0),
    wrapper("pkexec", &["--user"], 0),
    wrapper("run0", &["-u", "--user", "-g", "--group", "-D", "--chdir"], 0),
    wrapper("busybox", &[], 0),
    wrapper("toybox", &[], 0),
    wrapper("chroot", &["--userspec", "--groups"], 1),
    wrapper("unshare", &["-S", "-G", "-R", "-w"], 0),
    wrapper("nsenter", &["-t", "-S", "-G", "--target"], 0),
    wrapper(
        "strace",
        &["-o", "-e", "-p", "-s", "-u", "-E", "-a", "-b", "-I", "-O", "-P", "-S", "-U", "-X"],
        0,
    ),
    wrapper("ltrace", &["-o", "-e", "-p"], 0),
    wrapper("taskset", &[], 1),
    wrapper("chrt", &["-T", "-P", "-D", "-p"], 1),
    wrapper("caffeinate", &["-t", "-w"], 0),
    wrapper("flock", &["-w", "-E", "--timeout"], 1),
    wrapper("systemd-run", &["-p", "--property", "--unit", "-M", "--slice"], 0),
    wrapper("fakeroot", &[], 0),
    wrapper("proot", &["-r", "-b", "-w"], 0),
    wrapper("torsocks", &[], 0),
    wrapper("catchsegv", &[], 0),
    wrapper("prlimit", &["--pid"], 0),
    wrapper(
        "setpriv",
        &[
            "--reuid",
            "--regid",
            "--groups",
            "--ruid",
            "--euid",
            "--rgid",
            "--egid",
            "--inh-caps",
            "--ambient-caps",
            "--bounding-set",
            "--securebits",
            "--pdeathsig",
            "--selinux-label",
            "--apparmor-profile",
            "--landlock-access",
            "--landlock-rule",
            "--seccomp-filter",
        ],
        0,
    ),
    wrapper("choom", &["-n", "-p", "--adjust", "--pid"], 0),
    wrapper("setarch", &[], 1),
    wrapper("linux32", &[], 0),
    wrapper("linux64", &[], 0),
    wrapper("i386", &[], 0),
    wrapper("x86_64", &[], 0),
    wrapper(
        "numactl",
        &["-i", "-N", "-m", "-C", "-p", "--interleave", "--cpunodebind", "--membind", "--physcpubind"],
        0,
    ),
    wrapper("valgrind", &[], 0),
    wrapper("rlwrap", &["-a", "-b", "-f", "-H", "-l", "-s", "-S"], 0),
    wrapper("eatmydata", &[], 0),
    wrapper("nocache", &[], 0),
    wrapper("chronic", &[], 0),
    wrapper("ifne", &[], 0),
    wrapper("ts", &[], 0),
    wrapper("xvfb-run", &["-n", "-e", "-f", "-p", "-s", "-w", "--server-args", "--server-num"], 0),
    wrapper("dbus-run-session", &[], 0),
    wrapper("dbus-launch", &[], 0),
    wrapper("systemd-inhibit", &["--what", "--who", "--why", "--mode"], 0),
    wrapper("faketime", &["-f"], 1),
    wrapper("proxychains", &["-f"], 0),
    wrapper("proxychains4", &["-f"], 0),
    wrapper("tsocks", &[], 0),
    wrapper("firejail", &[], 0),
    wrapper("tini", &["-p", "-e"], 0),
    wrapper("dumb-init", &[], 0),
    wrapper("entr", &[], 0),
    wrapper(
        "start-stop-daemon",
        &[
            "-p",
            "-x",
            "-a",
            "-u",
            "-g",
            "-c",
            "-d",
            "-n",
            "--pidfile",
            "--user",
            "--name",
            "--chuid",
            "--chdir",
        ],
        0,
    ),
];
