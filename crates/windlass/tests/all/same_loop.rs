//! The wrapper and a session with the profile `dspy` do the same in every case: there is one loop.

use futures::stream;
use serde_json::{Value, json};
use windlass::core::ports::{BoxStream, ModelPort};
use windlass::core::protocol::event::WarningCode;
use windlass::core::protocol::model::{Finish, ModelDelta, ModelFailure, ModelRequest};
use windlass::core::protocol::trace::ToolTrace;
use windlass::dspy::{DSPyEngineError, HostTool};
use windlass::prelude::*;

use crate::host::{Predictor, answering, calling, registry, wrapper};

/// Gives the outputs of a predictor in turn, as an ordinary model.
struct Outputs(Vec<Value>);

impl ModelPort for Outputs {
    fn name(&self) -> &str {
        "test/outputs"
    }

    fn stream(&self, request: ModelRequest) -> BoxStream<'static, Result<ModelDelta, ModelFailure>> {
        let step = request.step as usize - 1;
        let text = self.0.get(step).or(self.0.last()).unwrap().to_string();
        Box::pin(stream::iter([Ok(ModelDelta::Text(text)), Ok(ModelDelta::Finish(Finish::Stop))]))
    }
}

/// What a trace says, without times and names of runs.
pub(crate) fn facts(trace: &RunTrace) -> impl PartialEq + std::fmt::Debug + use<> {
    let call = |call: &ToolTrace| {
        let error = call.error.as_ref().map(|error| format!("{error:?}"));
        (
            call.id.clone(),
            call.name.clone(),
            call.parameters.clone(),
            call.output_raw.clone(),
            call.status,
            error,
        )
    };
    let codes: Vec<WarningCode> = trace.warnings.iter().map(|warning| warning.code).collect();
    (trace.tools.iter().map(call).collect::<Vec<_>>(), codes, trace.outcome, trace.stop_reason.clone())
}

#[tokio::test]
async fn r_20_the_wrapper_and_a_session_run_the_same_machine() {
    let cases: [Vec<Value>; 8] = [
        vec![answering("at once")],
        vec![calling("get_player_gold", json!({})), answering("then")],
        vec![
            calling("echo", json!({"a": 1})),
            json!({"tool_call": "{\"name\":\"check_inventory\",\"args\":{\"item\":\"rope\"}}"}),
            json!({"response": "end", "tool_call": "null"}),
        ],
        vec![calling("get_player_gold", json!({}))],
        vec![calling("nobody", json!({}))],
        vec![calling("check_inventory", json!({"item": 5}))],
        vec![calling("broken", json!({}))],
        vec![json!({"tool_call": "{\"name\":"})],
    ];
    for outputs in cases {
        let predictor = Predictor::new(outputs.clone());
        let (result, by_wrapper) =
            wrapper().invoke_traced_with_fn(json!({"query": "q"}), |input| predictor.predict(input)).await;

        let registry = registry();
        let agent = Windlass::builder()
            .model_port(Outputs(outputs.clone()))
            .tools(registry.names().map(|name| HostTool::new(registry.get(name).unwrap())))
            .profile(Profile::dspy())
            .build()
            .unwrap();
        let answered = agent.run("q").await;
        let records = agent.own_session().records(0).await.unwrap();
        let by_session = RunTrace::fold(records.iter().map(AsRef::as_ref));

        assert_eq!(format!("{:?}", facts(&by_wrapper)), format!("{:?}", facts(&by_session)), "{outputs:?}");
        match (result, answered) {
            (Ok(output), Ok(answer)) => assert_eq!(output.to_string(), answer.text),
            (Err(error), Err(failed)) => assert_eq!(error, DSPyEngineError::from(failed)),
            (result, answered) => panic!("{outputs:?}: {result:?} but {answered:?}"),
        }
    }
}
