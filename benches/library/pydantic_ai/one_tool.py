"""One tool, by Pydantic AI."""

import sys

from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

provider = OpenAIProvider(base_url=sys.argv[1], api_key="none")
agent = Agent(OpenAIChatModel("conversation-q0", provider=provider))


@agent.tool_plain
def add(a: int, b: int) -> int:
    """Adds two integers."""
    return a + b


print(agent.run_sync("What is 1900 + 2300?").output)
