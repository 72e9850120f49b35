"""A typed answer, by Pydantic AI. One that does not fit is asked for once more, with what was wrong."""

import sys

from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider


class City(BaseModel):
    name: str
    inhabitants: int


provider = OpenAIProvider(base_url=sys.argv[1], api_key="none")
agent = Agent(OpenAIChatModel("conversation-q1", provider=provider), output_type=City)
city = agent.run_sync("How large is Bonn?").output
print(f"{city.name}: {city.inhabitants}")
