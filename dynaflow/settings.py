"""What a user sets once, in the environment, instead of on every command line.

Each field is read from `DYNAFLOW_` plus its name in capitals; an option of the command line goes before it.
"""

from pathlib import Path

from platformdirs import user_data_path
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """Defaults of a run, from the environment."""

    model_config = SettingsConfigDict(env_prefix="DYNAFLOW_", env_ignore_empty=True, frozen=True, extra="ignore")

    model: str = "local"
    """Endpoint string of the main agent."""
    agent_model: str | None = None
    """Endpoint string of the sub-agents; None is the one of the main agent."""
    pool: Path | None = None
    """Pool file; None is the default pool."""
    journal: str = str(user_data_path("dynaflow", appauthor=False) / "journal.db")
    """File or SQLAlchemy URL of the journal."""
    redact: Path | None = None
    """YAML file: `patterns` (regular expressions) and `fields` (names) that never reach the journal, beside the built-in."""
