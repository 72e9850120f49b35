use super::*;

#[test]
fn the_list_says_which_version_judges() {
    assert_eq!(
        package_of("gguf==0.1\nllama-cpp-python==0.3.36\nnumpy==2\n").unwrap(),
        "llama-cpp-python==0.3.36"
    );
    assert!(package_of("numpy==2\n").is_err());
}
