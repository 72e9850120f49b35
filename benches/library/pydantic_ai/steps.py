"""What a step costs by Pydantic AI."""

import asyncio
import sys
import time

from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.usage import UsageLimits

WARM_SESSIONS = 5
STEPS = 11

provider = OpenAIProvider(base_url=sys.argv[1], api_key="none")
agent = Agent(OpenAIChatModel("conversation-q4", provider=provider))


@agent.tool_plain
def add(a: int, b: int) -> int:
    """Adds two integers."""
    return a + b


async def look(_, events):
    async for _ in events:
        pass


async def main():
    sessions = int(sys.argv[2])
    for number in range(WARM_SESSIONS + sessions):
        if number == WARM_SESSIONS:
            began = time.process_time()
        limits = UsageLimits(request_limit=20)
        result = await agent.run("Count up.", event_stream_handler=look, usage_limits=limits)
        assert result.output.endswith("fifteen sixteen."), result.output
    print(f"{(time.process_time() - began) * 1e6 / (sessions * STEPS):.2f}")


asyncio.run(main())
