"""Several steps that survive the end of the program, by Pydantic AI alone: messages can be written down, and a run goes on from
them; where they are kept is the program's own business, and a call that was cut off runs again, whatever it does. Workflow
engines (Temporal, DBOS, Prefect) do it better, with a service beside the program."""

import asyncio
import os
import sys
from pathlib import Path

from pydantic_ai import Agent, RunContext
from pydantic_ai.messages import ModelMessagesTypeAdapter
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

provider = OpenAIProvider(base_url=sys.argv[1], api_key="none")
agent = Agent(OpenAIChatModel("conversation-q3", provider=provider))
folder = Path(sys.argv[2])
ledger = folder / "ledger"


def write(line: str):
    """What really happened, one line each."""
    with ledger.open("a") as file:
        file.write(line + "\n")


@agent.tool_plain
def weigh_parcel(parcel: int) -> str:
    """Weighs a parcel."""
    write("weighed")
    return f"{400 + parcel} grams"


@agent.tool
def book_fee(context: RunContext, parcel: int) -> str:
    """Books the fee of a parcel."""
    line = f"fee of {parcel} {context.tool_call_id}"
    if line not in ledger.read_text():
        write(line)
    # The program is killed here, once.
    if not (folder / "failed").exists():
        (folder / "failed").touch()
        os.abort()
    return "booked"


async def main():
    saved = folder / "messages.json"
    history = ModelMessagesTypeAdapter.validate_json(saved.read_bytes()) if saved.exists() else None
    prompt = None if history else "Send parcel 7."
    async with agent.iter(prompt, message_history=history) as run:
        async for _ in run:
            # Whole or not at all.
            new = saved.with_suffix(".new")
            new.write_bytes(ModelMessagesTypeAdapter.dump_json(run.all_messages()))
            new.replace(saved)
    print(run.result.output)


asyncio.run(main())
