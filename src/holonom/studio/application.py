"""What the web server of the Studio answers: pages of the package, blocks of numbers by HTTP, one websocket a window.

Who may ask is described in `server`.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import hmac
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect

from ..model import ModelError
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


def application(session: Session, token: str, port: int, anywhere: bool = False) -> Any:
    """The Starlette application of a session.  ``anywhere``: answer to any name, not to those of the loopback alone."""
    pages = Pages(session, token)
    routes = [
        Route("/", start_page),
        Route("/scene", pages.picture),
        Route("/motion/{run:int}", pages.motion),
        Route("/curves/{run:int}", pages.curves),
        Route("/csv/{run:int}", pages.table),
        Route("/reactions/{run:int}", pages.reactions),
        Route("/study/figures", pages.study_figures),
        Route("/study/page", pages.study_page),
        Route("/shown/{run:int}", pages.shown),
        Route("/mesh", pages.mesh, methods=["POST"]),
        *(Route(f"/plots/{name}", shared_file) for name in SHARED),
        WebSocketRoute("/talk", pages.talk),
        Mount("/web", StaticFiles(directory=WEB)),
        Mount("/plots", StaticFiles(directory=PLOTS)),
    ]
    return Guard(Starlette(routes=routes, lifespan=pages.life), token, port, anywhere)


def is_token(token: str, text: Any) -> bool:
    """Whether a text is the token, in a time that does not depend on how much of it is right."""
    return isinstance(text, str) and hmac.compare_digest(text.encode("utf-8", "replace"), token.encode("utf-8"))


class Guard:
    """Lets in who has the token and speaks to us by our name."""

    def __init__(self, app: Any, token: str, port: int, anywhere: bool) -> None:
        self.app, self.port, self.anywhere = app, port, anywhere
        self.known = functools.partial(is_token, token)
        self.names = {f"{host}:{port}" for host in ("127.0.0.1", "localhost", "[::1]")}
        self.schemes = ("http", "https") if anywhere else ("http",)  # https: a proxy in front of it

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        heads = {k.decode("latin-1").lower(): v.decode("latin-1") for k, v in scope["headers"]}
        host = heads.get("host", "")
        good = self.anywhere or host in self.names
        if scope["type"] == "websocket":
            if not good or heads.get("origin", "") not in [f"{scheme}://{host}" for scheme in self.schemes]:
                await send({"type": "websocket.close", "code": REFUSED})
                return
            scope["entered"] = self.known(given(heads, self.port))
            await self.app(scope, receive, send)
            return
        path = Request(scope).url.path
        public = path == "/" or path.startswith(PUBLIC)
        if not good or not (public or self.known(given(heads, self.port))):
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


def answered(work: Callable) -> Callable:
    """Errors of the model become answers."""

    @functools.wraps(work)
    async def answer(self: Pages, request: Request) -> Response:
        try:
            return await work(self, request)
        except ModelError as error:
            return PlainTextResponse(str(error), status_code=400)

    return answer


class Pages:
    """Answers to requests of a session's windows."""

    def __init__(self, session: Session, token: str) -> None:
        self.session = session
        self.known = functools.partial(is_token, token)

    @answered
    async def picture(self, request: Request) -> Response:
        return Response(await self.session.picture(), media_type="application/octet-stream")

    @answered
    async def motion(self, request: Request) -> Response:
        answers = self.session.run_of(request.path_params["run"])
        data = await asyncio.to_thread(answers.motion, np.array(self.session.origin()), mode_of(request))
        return Response(data, media_type="application/octet-stream")

    @answered
    async def shown(self, request: Request) -> Response:
        base = self.session.document.base
        answers = self.session.run_of(request.path_params["run"])
        text = await asyncio.to_thread(answers.shown, base.parent if base else self.session.folder, mode_of(request))
        return Response(text, media_type="application/json")

    @answered
    async def curves(self, request: Request) -> Response:
        answers = self.session.run_of(request.path_params["run"])
        return Response(
            await asyncio.to_thread(answers.curves, wanted_curves(request)), media_type="application/octet-stream"
        )

    @answered
    async def table(self, request: Request) -> Response:
        answers = self.session.run_of(request.path_params["run"])
        text = await asyncio.to_thread(answers.csv, wanted_curves(request))
        return Response(
            text,
            media_type="text/csv",
            headers={"Content-Disposition": f'attachment; filename="run{answers.number}.csv"'},
        )

    @answered
    async def study_figures(self, request: Request) -> Response:
        found = await asyncio.to_thread(self.session.studies.figures, request.query_params.get("study"))
        return Response(json.dumps(found), media_type="application/json")

    @answered
    async def study_page(self, request: Request) -> Response:
        text = await asyncio.to_thread(self.session.studies.page, request.query_params.get("study"))
        return Response(text, media_type="text/html")

    @answered
    async def reactions(self, request: Request) -> Response:
        answers = self.session.run_of(request.path_params["run"])
        text = await asyncio.to_thread(answers.reactions_csv)
        return Response(
            text,
            media_type="text/csv",
            headers={"Content-Disposition": f'attachment; filename="run{answers.number}_reactions.csv"'},
        )

    @answered
    async def mesh(self, request: Request) -> Response:
        data = bytearray()
        async for chunk in request.stream():
            data += chunk
            if len(data) > MAX_MESH:
                raise ModelError(f"the mesh is larger than {MAX_MESH // 2**20} MiB; reduce its triangles")
        name = request.query_params.get("name", "")
        if name.lower().endswith(STEP_ENDINGS):
            found = await self.session.take_step(name, bytes(data))
        else:
            found = await asyncio.to_thread(self.session.take_mesh, name, bytes(data))
        return Response(json.dumps(found), media_type="application/json")

    async def talk(self, socket_: WebSocket) -> None:
        await socket_.accept()
        if not socket_.scope.get("entered"):
            try:
                first = await asyncio.wait_for(socket_.receive_json(), ENTRY)
                entered = isinstance(first, dict) and first.get("do") == "enter" and self.known(first.get("token"))
            except (TimeoutError, ValueError, RecursionError, KeyError):
                entered = False
            except (WebSocketDisconnect, RuntimeError):
                return
            if not entered:
                with contextlib.suppress(RuntimeError):
                    await socket_.close(REFUSED)
                return
        window = Window()
        self.session.windows.add(window)
        window.tell(self.session.hello())

        speaker = asyncio.create_task(_speak(window, socket_))
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
                await self.session.answer(window, message)
        except (WebSocketDisconnect, RuntimeError):
            pass
        finally:
            self.session.windows.discard(window)
            speaker.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await speaker

    @contextlib.asynccontextmanager
    async def life(self, app: Any) -> Any:
        tasks = [asyncio.create_task(self.session.check()), asyncio.create_task(self.session.watch())]
        yield
        for task in tasks:
            task.cancel()
        await self.session.close()


async def _speak(window: Window, socket_: WebSocket) -> None:
    """Send what waits for a window, until it is lost."""
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


async def start_page(request: Request) -> Response:
    return Response((WEB / "index.html").read_bytes(), media_type="text/html")


async def shared_file(request: Request) -> Response:
    name = request.url.path.rsplit("/", 1)[1]
    return Response((TEMPLATES / name).read_bytes(), media_type=SHARED[name])


def wanted_curves(request: Request) -> list[tuple[int, int]]:
    """Curves that are requested: numbers and components.  Raises ModelError for what is none."""
    out = []
    for word in request.query_params.get("q", "").split(",")[:100]:
        k, _, c = word.partition(".")
        try:
            out.append((int(k), int(c)))
        except ValueError:
            raise ModelError("curves are requested as number.component") from None
    return out


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
