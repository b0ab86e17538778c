"""The web server of the Studio: pages from the package, one websocket a window, blocks of numbers by HTTP.

Pages and scripts of the package are public; models and results are given only to who has the token of the address that
is printed.  A page takes it out of its address into the storage of its tab, sends it as the first message of its
websocket and in the header ``Authorization`` of its requests.  It is in no cookie: browsers send cookies of one port to
the servers of all other ports of a machine.  Clients that are not browsers may send it in a header of the websocket
(``Authorization: Bearer TOKEN``, or ``Cookie: holonom-studio-PORT=TOKEN``).

The server listens on the loopback unless requested otherwise, answers only to its own names (a page elsewhere cannot
reach it by a name of its own), and only to websockets of its own pages: the whole origin is compared.  Port and token
of a project are kept for a day in a folder of the user, so that open tabs connect again after a restart.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import secrets
import socket
import sys
import time as clock
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..model import ModelError
from .project import state_folder
from .session import Session

LOOPBACK = ("127.0.0.1", "localhost", "::1")
MAX_MESSAGE = 16 * 2**20
KEPT = 86400.0  # seconds for which an address is used again


def kept_address(folder: Path) -> tuple[int, str]:
    """Port and token that the last server of a project had; port 0 and a new token where that is long ago."""
    file = state_folder(folder) / "address.json"
    try:
        if clock.time() - file.stat().st_mtime < KEPT:
            data = json.loads(file.read_text(encoding="utf-8"))
            if 0 < int(data["port"]) < 65536 and len(data["token"]) >= 32 and data["token"].isascii():
                return int(data["port"]), data["token"]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        pass
    return 0, secrets.token_urlsafe(24)


def keep_address(folder: Path, port: int, token: str) -> None:
    """Keep port and token for the next server of a project, readable by the user alone."""
    file = state_folder(folder) / "address.json"
    with contextlib.suppress(OSError):
        draft = file.with_name(f".address.{secrets.token_hex(4)}")
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as out:
            out.write(json.dumps({"port": port, "token": token}))
        os.replace(draft, file)


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens.  Raises OSError, OverflowError."""
    return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)


def serve(
    file: Path | None = None,
    folder: Path | None = None,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    browser: bool = True,
    ready: Callable[[str, Any], None] | None = None,
) -> None:
    """Open the Studio on a project and serve it until it is interrupted.

    ``file``: the model to begin with; ``folder``: the project (default: that of the file, else the present one);
    ``port`` 0: any that is free; ``ready``: called with the address and the server (which has ``should_exit``) once it
    is known.  Raises ModelError where the file is not a model, and where the packages of the extra ``studio`` are
    missing.
    """
    try:
        import starlette  # noqa: F401
        import uvicorn
        import websockets  # noqa: F401
    except ImportError as error:
        raise ModelError(
            f"the Studio needs {error.name}, which is not installed; run: pip install 'holonom[studio]'"
        ) from None
    if file is not None and not file.is_file():
        raise ModelError(f"{file}: there is no such file; check the path")
    folder = folder or (file.resolve().parent if file is not None else Path.cwd())
    if not folder.is_dir():
        raise ModelError(f"{folder}: there is no such folder; give the folder of the project")
    if file is not None and not file.resolve().is_relative_to(folder.resolve()):
        raise ModelError(f"{file} lies outside of the project's folder {folder}; give its own folder, or one above it")
    anywhere = host not in LOOPBACK
    last, token = (0, secrets.token_urlsafe(24)) if anywhere else kept_address(folder.resolve())
    try:
        listener = None
        if last and not port:
            with contextlib.suppress(OSError):  # another server has it
                listener = listening(host, last)
        if listener is None:
            if last and port != last:
                token = secrets.token_urlsafe(24)
            listener = listening(host, port)
    except (OSError, OverflowError) as error:
        raise ModelError(f"cannot listen on {host}, port {port}: {error}") from None
    port = listener.getsockname()[1]
    if anywhere:
        print(
            f"holonom: warning: the Studio listens on {host}, port {port}: anyone who can reach this machine "
            "and has the "
            "address below can edit and run models "
            "here, and the connection is not encrypted",
            file=sys.stderr,
        )

    async def main() -> None:
        from .application import application

        session = Session(folder, file.resolve() if file is not None else None)
        if not anywhere and session.project.holder is None:
            keep_address(session.folder, port, token)
        config = uvicorn.Config(
            application(session, token, port, anywhere),
            log_level="warning",
            ws="websockets-sansio",
            ws_max_size=MAX_MESSAGE,
            timeout_graceful_shutdown=1,
        )
        server = uvicorn.Server(config)
        name = host if host not in ("0.0.0.0", "::") else socket.gethostname()
        address = f"http://{f'[{name}]' if ':' in name else name}:{port}/?token={token}"
        print(
            f"Studio: {address}\nproject: {folder.resolve()}\nend it with Ctrl-C; what is not saved is kept", flush=True
        )
        if ready is not None:
            ready(address, server)
        if browser:
            import webbrowser

            asyncio.get_running_loop().call_later(0.3, webbrowser.open, address)
        await server.serve(sockets=[listener])

    try:
        asyncio.run(main())
    except KeyboardInterrupt:  # uvicorn has ended in order, and repeats the signal where the process does not ignore it
        pass
    finally:
        listener.close()
    print("\nStudio ended; unsaved edits are kept", flush=True)
