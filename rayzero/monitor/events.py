"""TensorBoard event files, written without torch or tensorflow."""

import time
from pathlib import Path

from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.plugins.text.metadata import create_summary_metadata
from tensorboard.summary.writer.event_file_writer import EventFileWriter
from tensorboard.util.tensor_util import make_tensor_proto


class EventWriter:
    """Scalars, pictures and texts by tag."""

    def __init__(self, folder: Path) -> None:
        self._writer = EventFileWriter(str(folder), max_queue_size=100, flush_secs=5)

    def scalars(self, step: int, values: dict[str, float]) -> None:
        """One point of each curve."""
        self._add(step, [Summary.Value(tag=tag, simple_value=value) for tag, value in values.items()])

    def image(self, step: int, tag: str, png: bytes, width: int, height: int) -> None:
        """A picture."""
        picture = Summary.Image(encoded_image_string=png, width=width, height=height, colorspace=3)
        self._add(step, [Summary.Value(tag=tag, image=picture)])

    def text(self, step: int, tag: str, markdown: str) -> None:
        """A text."""
        tensor = make_tensor_proto(markdown.encode(), dtype="string")
        metadata = create_summary_metadata(display_name=tag, description="")
        self._add(step, [Summary.Value(tag=tag, tensor=tensor, metadata=metadata)])

    def close(self) -> None:
        """Write what waits."""
        self._writer.close()

    def _add(self, step: int, values: list[Summary.Value]) -> None:
        self._writer.add_event(Event(wall_time=time.time(), step=step, summary=Summary(value=values)))
