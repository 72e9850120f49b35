//! What a step costs: sessions one after the other, in processor time of this process.
//!
//! Every library is measured by this file. How much time was spent, the system says of each thread.

use std::error::Error;
use std::time::Duration;

/// Sessions before the clock starts: connections, caches, branches.
const WARM_SESSIONS: usize = 50;
/// Ten calls and an answer.
const STEPS: usize = 11;

/// Runs as many sessions as the second argument says, against the address of the first, and prints the microseconds of a step.
pub(crate) async fn measure<S>(
    url: impl FnOnce(String) -> Result<S, Box<dyn Error>>,
    session: impl AsyncFn(&S) -> Result<String, Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(address), Some(sessions)) = (args.next(), args.next()) else {
        return Err("name the provider's address and how many sessions".into());
    };
    let (shared, sessions) = (url(address)?, sessions.parse::<usize>()?);
    let mut began = Duration::ZERO;
    for number in 0..WARM_SESSIONS + sessions {
        if number == WARM_SESSIONS {
            began = cpu_time()?;
        }
        let answer = session(&shared).await?;
        if !answer.ends_with("fifteen sixteen.") {
            return Err(format!("a session ended with '{answer}'").into());
        }
    }
    let spent = cpu_time()? - began;
    println!("{:.2}", spent.as_secs_f64() * 1e6 / (sessions * STEPS) as f64);
    Ok(())
}

/// Processor time of all threads so far.
fn cpu_time() -> Result<Duration, Box<dyn Error>> {
    let mut spent = 0;
    for thread in std::fs::read_dir("/proc/self/task")? {
        let told = std::fs::read_to_string(thread?.path().join("schedstat"))?;
        spent += told.split(' ').next().unwrap_or_default().parse::<u64>()?;
    }
    Ok(Duration::from_nanos(spent))
}
