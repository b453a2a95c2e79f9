"""Why the embedded model cannot be used. Every message says the way out.

EndpointUnknown
└── LocalError
    ├── LocalSettingWrong     an environment variable that cannot be read
    ├── LocalModelUnknown     no embedded model of that name
    ├── LocalModelMissing     its weights are not on this machine
    ├── LocalPullFailed       its weights could not be brought here
    ├── LocalEngineMissing    the engine is not installed
    └── LocalEngineFailed     the engine died or never became ready
"""

from __future__ import annotations

from subagents.errors import EndpointUnknown


class LocalError(EndpointUnknown):
    """The embedded model cannot be used."""


class LocalSettingWrong(LocalError):
    """An environment variable of the embedded model holds something that cannot be used."""


class LocalModelUnknown(LocalError):
    """No embedded model of that name."""


class LocalModelMissing(LocalError):
    """The weights are not on this machine."""


class LocalPullFailed(LocalError):
    """The weights could not be brought to this machine."""


class LocalEngineMissing(LocalError):
    """The engine's package is not installed."""


class LocalEngineFailed(LocalError):
    """The engine's process died, or did not become ready in time."""
