use super::*;

#[test]
fn clients_are_not_told_where_the_provider_is() {
    let failures = [
        ModelFailure::passing(
            "network",
            "no connection to http://10.0.0.7:8000/v1 (refused); check base_url",
        ),
        ModelFailure::passing("timeout", "http://10.0.0.7:8000/v1 did not accept a connection within 5 ms"),
        ModelFailure::fatal(
            "bad_request",
            "vllm has nothing at http://10.0.0.7:8000/v1 (status 404); check it",
        ),
        ModelFailure::fatal("bad_request", "'https://10.0.0.7/v1' is no http or https address"),
    ];
    for failure in failures {
        let problem = of_failure(&failure);
        assert!(!problem.detail().contains("10.0.0.7"), "{}", problem.detail());
        assert!(!told_of(&failure).contains("10.0.0.7"));
    }
}

#[test]
fn what_a_client_can_mend_is_told_in_the_providers_words() {
    let told = told_of(&ModelFailure::fatal(
        "bad_request",
        "x refused the request (status 400: no such role; see https://a.b/c)",
    ));
    assert_eq!(told, "x refused the request (status 400: no such role; see [address])");
}
