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
import hmac
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
from .session import Session, Window
from .step_solids import ENDINGS as STEP_ENDINGS

WEB = Path(__file__).resolve().parent / "web"
TEMPLATES = (
    Path(__file__).resolve().parents[1] / "results" / "pages" / "templates"
)  # plots of the report, which are those here
PLOTS = TEMPLATES / "vendor"
SHARED = {
    "plots.js": "text/javascript",
    "plots.css": "text/css",
    "unpack.js": "text/javascript",
    "moving.js": "text/javascript",
}
LOOPBACK = ("127.0.0.1", "localhost", "::1")
MAX_MESSAGE = 16 * 2**20
MAX_MESH = 256 * 2**20  # bytes of a mesh that a browser gives
REFUSED = 4403  # code of a websocket that is closed as its token or origin is wrong
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; connect-src "
    "'self'; font-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
    "Cross-Origin-Resource-Policy": "same-origin",
}
CLOSED = "This Studio is open to anyone who has the address that its terminal shows, with the token in it."
PUBLIC = ("/web/", "/plots/")  # what is the same for everybody: files of the package
ENTRY = 15.0  # seconds that a websocket may take to send the token
KEPT = 86400.0  # seconds for which an address is used again


def application(session: Session, token: str, port: int, anywhere: bool = False) -> Any:
    """The Starlette application of a session.  ``anywhere``: answer to any name, not to those of the loopback alone."""
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import PlainTextResponse, Response
    from starlette.routing import Mount, Route, WebSocketRoute
    from starlette.staticfiles import StaticFiles
    from starlette.websockets import WebSocket, WebSocketDisconnect

    names = {f"{host}:{port}" for host in ("127.0.0.1", "localhost", "[::1]")}
    secret = token.encode("utf-8")
    known = lambda text: isinstance(text, str) and hmac.compare_digest(text.encode("utf-8", "replace"), secret)
    schemes = ("http", "https") if anywhere else ("http",)  # https: a proxy in front of it

    class Guard:
        """Lets in who has the token and speaks to us by our name."""

        def __init__(self, app: Any) -> None:
            self.app = app

        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            if scope["type"] not in ("http", "websocket"):
                await self.app(scope, receive, send)
                return
            heads = {k.decode("latin-1").lower(): v.decode("latin-1") for k, v in scope["headers"]}
            host = heads.get("host", "")
            good = anywhere or host in names
            if scope["type"] == "websocket":
                if not good or heads.get("origin", "") not in [f"{scheme}://{host}" for scheme in schemes]:
                    await send({"type": "websocket.close", "code": REFUSED})
                    return
                scope["entered"] = known(given(heads, port))
                await self.app(scope, receive, send)
                return
            path = Request(scope).url.path
            public = path == "/" or path.startswith(PUBLIC)
            if not good or not (public or known(given(heads, port))):
                await PlainTextResponse(CLOSED, status_code=403)(scope, receive, send)
                return

            async def headed(message: Any) -> None:
                if message["type"] == "http.response.start":
                    message["headers"] = [
                        *message["headers"],
                        *((k.lower().encode(), v.encode()) for k, v in HEADERS.items()),
                    ]
                await send(message)

            await self.app(scope, receive, headed)

    async def page(request: Request) -> Response:
        return Response((WEB / "index.html").read_bytes(), media_type="text/html")

    def answered(work: Callable) -> Callable:
        async def answer(request: Request) -> Response:
            try:
                return await work(request)
            except ModelError as error:
                return PlainTextResponse(str(error), status_code=400)

        return answer

    @answered
    async def picture(request: Request) -> Response:
        return Response(await session.picture(), media_type="application/octet-stream")

    @answered
    async def motion(request: Request) -> Response:
        answers = session.run_of(request.path_params["run"])
        import numpy as np

        data = await asyncio.to_thread(answers.motion, np.array(session.origin()), mode_of(request))
        return Response(data, media_type="application/octet-stream")

    @answered
    async def shown(request: Request) -> Response:
        base = session.document.base
        answers = session.run_of(request.path_params["run"])
        text = await asyncio.to_thread(answers.shown, base.parent if base else session.folder, mode_of(request))
        return Response(text, media_type="application/json")

    def wanted(request: Request) -> list[tuple[int, int]]:
        out = []
        for word in request.query_params.get("q", "").split(",")[:100]:
            k, _, c = word.partition(".")
            try:
                out.append((int(k), int(c)))
            except ValueError:
                raise ModelError("curves are requested as number.component") from None
        return out

    @answered
    async def curves(request: Request) -> Response:
        answers = session.run_of(request.path_params["run"])
        return Response(await asyncio.to_thread(answers.curves, wanted(request)), media_type="application/octet-stream")

    @answered
    async def table(request: Request) -> Response:
        answers = session.run_of(request.path_params["run"])
        text = await asyncio.to_thread(answers.csv, wanted(request))
        return Response(
            text,
            media_type="text/csv",
            headers={"Content-Disposition": f'attachment; filename="run{answers.number}.csv"'},
        )

    @answered
    async def study_figures(request: Request) -> Response:
        found = await asyncio.to_thread(session.studies.figures, request.query_params.get("study"))
        return Response(json.dumps(found), media_type="application/json")

    @answered
    async def study_page(request: Request) -> Response:
        text = await asyncio.to_thread(session.studies.page, request.query_params.get("study"))
        return Response(text, media_type="text/html")

    @answered
    async def reactions(request: Request) -> Response:
        answers = session.run_of(request.path_params["run"])
        text = await asyncio.to_thread(answers.reactions_csv)
        return Response(
            text,
            media_type="text/csv",
            headers={"Content-Disposition": f'attachment; filename="run{answers.number}_reactions.csv"'},
        )

    @answered
    async def mesh(request: Request) -> Response:
        data = bytearray()
        async for chunk in request.stream():
            data += chunk
            if len(data) > MAX_MESH:
                raise ModelError(f"the mesh is larger than {MAX_MESH // 2**20} MiB; reduce its triangles")
        name = request.query_params.get("name", "")
        if name.lower().endswith(STEP_ENDINGS):
            found = await session.take_step(name, bytes(data))
        else:
            found = await asyncio.to_thread(session.take_mesh, name, bytes(data))
        return Response(json.dumps(found), media_type="application/json")

    async def shared(request: Request) -> Response:
        name = request.url.path.rsplit("/", 1)[1]
        return Response((TEMPLATES / name).read_bytes(), media_type=SHARED[name])

    async def talk(socket_: WebSocket) -> None:
        await socket_.accept()
        if not socket_.scope.get("entered"):
            try:
                first = await asyncio.wait_for(socket_.receive_json(), ENTRY)
                entered = isinstance(first, dict) and first.get("do") == "enter" and known(first.get("token"))
            except (TimeoutError, ValueError, RecursionError, KeyError):
                entered = False
            except (WebSocketDisconnect, RuntimeError):
                return
            if not entered:
                with contextlib.suppress(RuntimeError):
                    await socket_.close(REFUSED)
                return
        window = Window()
        session.windows.add(window)
        window.tell(session.hello())

        async def speak() -> None:
            while True:
                await window.wake.wait()
                window.wake.clear()
                if window.lost:
                    await socket_.close(1013)
                    return
                while window.messages:
                    await socket_.send_text(window.messages.pop(0))
                pose, window.pose = window.pose, None
                if pose is not None:
                    await socket_.send_bytes(pose)

        speaker = asyncio.create_task(speak())
        try:
            while True:
                try:
                    message = await socket_.receive_json()
                    json.dumps(message, ensure_ascii=False).encode(
                        "utf-8"
                    )  # halves of characters are in no file that we could write
                except UnicodeEncodeError:
                    window.tell({"error": "a message has incomplete Unicode characters"})
                    continue
                except (ValueError, RecursionError, KeyError):
                    window.tell({"error": "a message is not valid JSON"})
                    continue
                await session.answer(window, message)
        except (WebSocketDisconnect, RuntimeError):
            pass
        finally:
            session.windows.discard(window)
            speaker.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await speaker

    @contextlib.asynccontextmanager
    async def life(app: Any) -> Any:
        tasks = [asyncio.create_task(session.check()), asyncio.create_task(session.watch())]
        yield
        for task in tasks:
            task.cancel()
        await session.close()

    routes = [
        Route("/", page),
        Route("/scene", picture),
        Route("/motion/{run:int}", motion),
        Route("/curves/{run:int}", curves),
        Route("/csv/{run:int}", table),
        Route("/reactions/{run:int}", reactions),
        Route("/study/figures", study_figures),
        Route("/study/page", study_page),
        Route("/shown/{run:int}", shown),
        Route("/mesh", mesh, methods=["POST"]),
        *(Route(f"/plots/{name}", shared) for name in SHARED),
        WebSocketRoute("/talk", talk),
        Mount("/web", StaticFiles(directory=WEB)),
        Mount("/plots", StaticFiles(directory=PLOTS)),
    ]
    return Guard(Starlette(routes=routes, lifespan=life))


def mode_of(request: Any) -> int:
    """Number of the mode that is requested, 0 for the run itself.  Raises ModelError for what is none."""
    mode = request.query_params.get("mode", "0")
    if not (mode.isascii() and mode.isdecimal()) or len(mode) > 6:
        raise ModelError(f"there is no mode {mode[:20]!r}")
    return int(mode)


def given(heads: dict[str, str], port: int) -> str | None:
    """The token in the headers of a request, None where there is none."""
    kind, _, value = heads.get("authorization", "").partition(" ")
    if kind.lower() == "bearer":
        return value.strip()
    for part in heads.get("cookie", "").split(";"):
        name, _, value = part.strip().partition("=")
        if name == f"holonom-studio-{port}":
            return value
    return None


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
