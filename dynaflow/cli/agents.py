"""`dynaflow agents`: the sub-agents of a pool."""

from dynaflow.cli import options


def agents(pool: options.PoolFile = None) -> None:
    """List the sub-agents that a program can call."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from dynaflow.wording import visible

    table = Table("agent", "model", "tool", "description", box=None, pad_edge=False)
    for agent in options.read_pool(pool):
        row = (agent.name, agent.model or "the run's", agent.reply_through or "", agent.description)
        table.add_row(*(Text(visible(cell)) for cell in row))
    Console(highlight=False).print(table)
