"""The tools the built-in model knows: names, arguments in order, and how each argument is constrained.

Owns the contract between generator, training, scoring and the product; knows nothing of phrasings.
"""

import json

# argument kinds: span (words of the user), zone, expression, task, status, integer
TOOLS = {
    "add_task": {"content": "span"},
    "calculate": {"expression": "expression"},
    "execute_command": {"command": "span"},
    "fetch_url": {"url": "span"},
    "generate_image": {"prompt": "span", "width": "integer?", "height": "integer?"},
    "get_current_time": {"timezone": "zone?"},
    "get_file_tree": {"path": "span?"},
    "list_tasks": {},
    "rag_search": {"query": "span", "limit": "integer?"},
    "read_file": {"path": "span"},
    "request_code_context": {"hint": "span"},
    "search_text": {"pattern": "span"},
    "system_stats": {},
    "update_task": {"task_id": "task", "status": "status"},
    "web_search": {"query": "span", "max_results": "integer?"},
    "write_file": {"path": "span", "content": "span"},
}
NAMES = sorted(TOOLS)
STATUSES = ["pending", "in_progress", "completed"]
ANSWERS = ["done", "greeting", "thanks", "farewell", "identity", "ability", "beyond", "unclear"]
SPECIALS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<tool_call>", "</tool_call>", "<answer>"]
FUNCTIONS = ["sqrt", "abs", "min", "max", "round", "floor", "ceil"]


def call_text(name, arguments):
    """One call as the model writes it, arguments in the order of TOOLS."""
    ordered = {key: arguments[key] for key in TOOLS[name] if key in arguments}
    body = json.dumps({"name": name, "arguments": ordered}, ensure_ascii=False, separators=(",", ":"))
    return "<tool_call>" + body + "</tool_call>"


def render(messages):
    """The whole dialogue as (text, trained) pieces; messages are (role, text) pairs."""
    for role, text in messages:
        yield f"<|im_start|>{role}\n", False
        yield text + "<|im_end|>", role == "assistant"
        yield "\n", False


def prompt(messages):
    """The text the model continues."""
    return "".join(piece for piece, _ in render(messages)) + "<|im_start|>assistant\n"
