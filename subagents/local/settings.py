"""What a user may set about the embedded model, in the environment: `DYNAFLOW_` plus the field's name in capitals."""

from __future__ import annotations

from pathlib import Path

from platformdirs import user_cache_path
from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from subagents.local.errors import LocalSettingWrong


class LocalSettings(BaseSettings):
    """The embedded model's settings. Read them with `LocalSettings.read()`."""

    model_config = SettingsConfigDict(env_prefix="DYNAFLOW_", env_ignore_empty=True, frozen=True, extra="ignore")

    local_model: Path | None = None
    """A GGUF file to use instead of any pulled one."""
    local_slots: int = Field(default=4, ge=1, le=64)
    """Requests that are worked on at once; more wait."""
    local_context: int = Field(default=8192, ge=512, le=131_072)
    """Tokens of prompt and reply together, for each slot."""
    cache_dir: Path = Field(default_factory=lambda: user_cache_path("dynaflow", appauthor=False))
    """Where pulled weights are kept."""

    @classmethod
    def read(cls) -> LocalSettings:
        """Read the environment. Raises LocalSettingWrong."""
        try:
            return cls()
        except ValidationError as error:
            first = error.errors()[0]
            variable = "DYNAFLOW_" + "_".join(str(part) for part in first["loc"]).upper()
            raise LocalSettingWrong(f"{variable} is {first['input']!r}: {first['msg']}; mend or unset it") from error

    @property
    def models_dir(self) -> Path:
        """The folder of pulled weights."""
        return self.cache_dir.expanduser().absolute() / "models"
