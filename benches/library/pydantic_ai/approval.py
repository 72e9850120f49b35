"""Text as it comes, and calls that wait for a yes, by Pydantic AI. A run ends with the calls that need one; the next run brings
the answers."""

import asyncio
import sys

from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ToolDenied
from pydantic_ai.messages import PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

provider = OpenAIProvider(base_url=sys.argv[1], api_key="none")
model = OpenAIChatModel("conversation-q2", provider=provider)
agent = Agent(model, output_type=[str, DeferredToolRequests])


@agent.tool_plain(requires_approval=True)
def send_money(to: str, euros: int) -> str:
    """Sends money."""
    return f"{euros} euros are on their way to {to}"


def is_approved(arguments: str) -> bool:
    """Stands for a person who looks at a call."""
    return "the baker" in arguments


async def show(_, events):
    async for event in events:
        match event:
            case PartStartEvent(part=TextPart(content=text)):
                print(text, end="")
            case PartDeltaEvent(delta=TextPartDelta(content_delta=text)):
                print(text, end="")


async def main():
    result = await agent.run("Pay the bills.", event_stream_handler=show)
    while isinstance(result.output, DeferredToolRequests):
        print()
        answers = DeferredToolResults()
        for call in result.output.approvals:
            said = is_approved(call.args_as_json_str())
            answers.approvals[call.tool_call_id] = said or ToolDenied("the user said no")
        history = result.all_messages()
        result = await agent.run(
            message_history=history, deferred_tool_results=answers, event_stream_handler=show
        )
    print()


asyncio.run(main())
