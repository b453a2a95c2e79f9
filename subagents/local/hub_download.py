"""A program of its own: downloads one file of the hub into a folder. Run by `download`.

    python -P hub_download.py REPO REVISION FILE FOLDER

It imports nothing of ours. A hub that cannot be reached is noticed by one short question first, because the
client itself would try again for half a minute. No token is sent: the files are public.
"""

import os
import sys

REACH_SECONDS = 3


def main(repo: str, revision: str, file: str, folder: str) -> int:
    """Download the file; on failure the last line of standard error says why."""
    os.environ.update(HF_HUB_DISABLE_PROGRESS_BARS="1", HF_HUB_DISABLE_TELEMETRY="1")
    from huggingface_hub import constants, get_session, hf_hub_download

    try:
        get_session().head(constants.ENDPOINT, timeout=REACH_SECONDS)
    except Exception as error:  # noqa: BLE001 - whatever went wrong: this source cannot be used
        return _failed(f"it cannot be reached: {error}")
    try:
        hf_hub_download(repo, file, revision=revision, local_dir=folder, token=False)
    except Exception as error:  # noqa: BLE001 - as above
        return _failed(f"{type(error).__name__}: {error}")
    return 0


def _failed(reason: str) -> int:
    sys.stderr.write("\n" + " ".join(reason.split()) + "\n")
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
