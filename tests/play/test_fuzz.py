"""Requests made up from the service's own description; thousands of them under `-m long`."""

from collections import Counter

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from starlette.testclient import TestClient

from rayzero.play.models import ModelBook
from rayzero.play.service import make_app

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


def bombard(book: ModelBook, examples: int) -> Counter[int]:
    app = make_app(book, hosts=None)
    schema = schemathesis.openapi.from_asgi("/api/openapi.json", app)
    client = TestClient(app)
    statuses: Counter[int] = Counter()
    warm = client.post("/api/sessions", json={"game": "tictactoe"}).json()["id"]
    client.post(f"/api/sessions/{warm}/reply", json={"model": "given", "simulations": 5})
    for found in schema.get_all_operations():
        operation = found.ok()

        @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck), database=None)
        @given(case=operation.as_strategy(), real=st.booleans(), small=st.booleans())
        def fire(case: schemathesis.Case, real: bool, small: bool) -> None:
            if real and "id" in (case.path_parameters or {}):
                case.path_parameters["id"] = client.post("/api/sessions", json={"game": "tictactoe"}).json()["id"]
            if small and isinstance(case.body, dict) and "model" in case.body:
                case.body = {"model": "given", "simulations": 5}
            response = case.call()
            statuses[response.status_code] += 1
            case.validate_response(response, checks=CHECKS)

        fire()
    return statuses


def test_made_up_requests_never_break_the_service(book: ModelBook) -> None:
    statuses = bombard(book, 15)
    assert statuses[200] and statuses[404] and statuses[422]
    assert not [status for status in statuses if status >= 500]


@pytest.mark.long
def test_thousands_of_made_up_requests(book: ModelBook, capsys: pytest.CaptureFixture[str]) -> None:
    statuses = bombard(book, 400)
    with capsys.disabled():
        print(f"\n{statuses.total()} requests: {dict(sorted(statuses.items()))}")
    assert not [status for status in statuses if status >= 500]
