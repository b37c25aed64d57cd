"""One HTTP client for all backends: credentials, time-outs, a bound on every answer, patience, errors in words.

Redirects are not followed: the headers of the user's would go to wherever the answer points.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import httpx
from msgspec import structs

from otel_traj.errors import SourceError
from otel_traj.sources.backend.answer import Answer
from otel_traj.sources.backend.credentials import HEADERS_VARIABLE, TOKEN_VARIABLE
from otel_traj.sources.backend.deadline import Deadline
from otel_traj.sources.backend.patience import BusyError, LostError, make_retrying
from otel_traj.sources.files.bombs import BombError, RatioGuard
from otel_traj.sources.files.codecs import PackingError
from otel_traj.sources.files.unpacking import OversizedError, unpack_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType
    from typing import Self

    from otel_traj.sources.backend.address import Address
    from otel_traj.sources.backend.credentials import Credentials

__all__ = [
    "MAX_ANSWER_BYTES",
    "TIMEOUT_SECONDS",
    "AnswerTooLargeError",
    "BackendClient",
    "UnusableAnswerError",
]

MAX_ANSWER_BYTES: Final = 128 * 2**20
"""An answer of more bytes, unpacked, is not read."""

TIMEOUT_SECONDS: Final = 30.0
"""How long is waited for the next bytes of an answer."""

_CONNECT_SECONDS: Final = 10.0
_WHOLE_ANSWER_TIMES: Final = 4
_BUSY: Final = frozenset({429, 502, 503, 504})


class AnswerTooLargeError(SourceError):
    """An answer is larger than what is read of one."""


class UnusableAnswerError(SourceError):
    """The backend answered, and not with what was asked for; to another question it may."""


class BackendClient:
    """Asks one backend; a context manager that closes its connections."""

    def __init__(
        self,
        address: Address,
        credentials: Credentials,
        *,
        max_bytes: int = MAX_ANSWER_BYTES,
        seconds: float = TIMEOUT_SECONDS,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Prepare; nothing is asked yet.

        Args:
            address: Where it is.
            credentials: Headers to send.
            max_bytes: Answers of more bytes are refused.
            seconds: How long to wait for the next bytes; a whole answer may take four times as long.
            sleep: Waits so many seconds between two tries.

        Raises:
            SourceError: TLS or a proxy can't be set up as the environment says.
        """
        self._address = address
        self._credentials = credentials
        self._max_bytes = max_bytes
        self._deadline = Deadline(seconds * _WHOLE_ANSWER_TIMES)
        self._retrying = make_retrying(sleep)
        try:
            _check_certificates()
            self._client = httpx.Client(
                # The one packing that is unpacked here, piece by piece: httpx unpacks whatever comes, without a bound.
                headers={"accept-encoding": "gzip", "user-agent": "otel-traj", **credentials.headers},
                verify=not address.read_flag("insecure"),
                timeout=httpx.Timeout(seconds, connect=min(seconds, _CONNECT_SECONDS)),
                follow_redirects=False,
            )
        except (OSError, ValueError, httpx.InvalidURL) as error:
            # What the library says of a proxy's address may quote a part of its password.
            said = error if isinstance(error, OSError) else type(error).__name__
            raise self._fail(
                f"the connection can't be set up ({said})",
                "look at SSL_CERT_FILE and at the proxies that the environment names",
            ) from (error if isinstance(error, OSError) else None)

    def __enter__(self) -> Self:
        """Return the client itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connections."""
        self._client.close()

    def get(
        self, path: str, parameters: Sequence[tuple[str, str]] = (), *, accept: str = "application/json"
    ) -> Answer:
        """Return the answer to a GET, whatever its status, but for those that are errors of every backend.

        Args:
            path: Below the base path, with a slash in front.
            parameters: In order; a key may stand several times.
            accept: The form that is wanted.

        Raises:
            AnswerTooLargeError: The answer is longer than what is read.
            SourceError: There is no answer, or one that refuses the user, or sends elsewhere.
        """
        try:
            answer = self._retrying(self._ask, path, parameters, accept)
        except BusyError as error:
            raise self._fail_with(
                error.answer, "it is too busy, or what it stands on is down; try again later"
            ) from error
        except LostError as error:
            raise self._fail(
                f"no answer from it ({error})", "look whether it runs, and at host, port and scheme"
            ) from error
        except httpx.TimeoutException as error:
            raise self._fail(
                "it did not answer in time", "ask for less: a shorter time, a lower limit"
            ) from error
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            raise self._fail(
                f"the answer can't be read ({type(error).__name__}: {error})",
                "look whether host, port and scheme are right",
            ) from error
        self._check(answer)
        return answer

    def refuse(self, answer: Answer, advice: str) -> UnusableAnswerError:
        """Return the error for an answer that can't be used.

        Args:
            answer: What was answered; secrets in it are hidden.
            advice: What to do.
        """
        error = self._fail_with(answer, advice)
        return UnusableAnswerError(str(error), source=error.source)

    def _ask(self, path: str, parameters: Sequence[tuple[str, str]], accept: str) -> Answer:
        url = f"{self._address.url}{path}"
        try:
            with (
                self._deadline.watch(),
                self._client.stream(
                    "GET",
                    url,
                    params=list(parameters),
                    headers={"accept": accept},
                    extensions={"trace": self._deadline.note},
                ) as response,
            ):
                packed = self._read_body(response)
        except (httpx.NetworkError, httpx.RemoteProtocolError, httpx.ConnectTimeout) as error:
            raise LostError(str(error) or type(error).__name__) from error
        answer = Answer(
            status=response.status_code,
            body=self._unpack(packed, response.headers.get("content-encoding", "").strip().lower()),
            content_type=response.headers.get("content-type", ""),
        )
        if answer.status in _BUSY:
            raise BusyError(answer, response.headers.get("retry-after", ""))
        return answer

    def _read_body(self, response: httpx.Response) -> bytes:
        body = bytearray()
        for piece in response.iter_raw():
            body += piece
            if len(body) > self._max_bytes:
                raise self._fail_size()
        return bytes(body)

    def _unpack(self, packed: bytes, packing: str) -> bytes:
        if packing in ("", "identity"):
            return packed
        if packing not in ("gzip", "x-gzip"):
            raise PackingError(f"it is packed as {packing!r}, which was not asked for")
        try:
            return unpack_whole(packed, "gzip", self._max_bytes, RatioGuard(self._max_bytes))
        except (BombError, OversizedError) as error:
            raise self._fail_size() from error

    def _check(self, answer: Answer) -> None:
        if answer.status in (401, 403):
            raise self._fail_with(
                answer,
                f"give a user and password in the name (user:password@host), a token in {TOKEN_VARIABLE}, or headers in "
                f"{HEADERS_VARIABLE}; a place with tenants wants one named",
            )
        if 300 <= answer.status < 400:
            raise self._fail_with(
                answer, "redirects are not followed; name the address, base path included, that it leads to"
            )

    def _fail_size(self) -> AnswerTooLargeError:
        return AnswerTooLargeError(
            f"{self._address.name!r} gave an answer of more than {self._max_bytes:,} bytes; larger ones are not read; ask "
            "for less: a lower limit, a shorter time",
            source=self._address.name,
        )

    def _fail_with(self, answer: Answer, advice: str) -> SourceError:
        shown = structs.replace(answer, body=self._credentials.hide_in(answer.body))
        return self._fail(f"it answered {shown.describe()}", advice)

    def _fail(self, found: str, advice: str) -> SourceError:
        message = self._credentials.hide(f"{self._address.name!r} can't be read: {found}; {advice}")
        return SourceError(message, source=self._address.name)


def _check_certificates() -> None:
    """Raise where the environment names certificates that are not there: httpx before 0.28 then takes its own."""
    path = os.environ.get("SSL_CERT_FILE")
    if path and not Path(path).is_file():
        raise FileNotFoundError(f"SSL_CERT_FILE names {path!r}, which is no file")
