"""A Perfetto trace by the official definitions: every packet checked, slices put together.

Protobuf parsers accept much; what Perfetto's importer demands beyond the syntax is
checked here packet by packet, and fails the test that loads such a trace.
"""

from dataclasses import dataclass, field

from google.protobuf.unknown_fields import UnknownFieldSet
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TracePacket, TrackEvent

REALTIME = 1
SEQUENCE_CLOCKS = range(64, 128)
STATE_CLEARED = TracePacket.SEQ_INCREMENTAL_STATE_CLEARED
NEEDS_STATE = TracePacket.SEQ_NEEDS_INCREMENTAL_STATE


@dataclass
class Slice:
    name: str
    category: str
    begin_ns: int  # CLOCK_REALTIME
    end_ns: int
    depth: int
    annotations: dict
    track: "Track"


@dataclass
class Track:
    uuid: int
    name: str = ""
    pid: int = 0
    tid: int = 0
    parent_uuid: int = 0
    unit: str = ""
    slices: list = field(default_factory=list)
    instants: list = field(default_factory=list)
    values: list = field(default_factory=list)
    open: list = field(default_factory=list)


class Sequence:
    """The incremental state of one packet sequence."""

    def __init__(self, packet):
        assert packet.sequence_flags & STATE_CLEARED, "a sequence begins by clearing its state"
        assert packet.first_packet_on_sequence
        self.clock = packet.trace_packet_defaults.timestamp_clock_id
        self.track_uuid = packet.trace_packet_defaults.track_event_defaults.track_uuid
        self.now_ns = None
        self.interned = {}
        if self.clock in SEQUENCE_CLOCKS:
            clocks = {each.clock_id: each for each in packet.clock_snapshot.clocks}
            assert clocks[self.clock].is_incremental
            self.now_ns = clocks[REALTIME].timestamp - clocks[self.clock].timestamp

    def intern(self, data):
        for descriptor, entries in data.ListFields():
            for entry in entries:
                assert entry.iid != 0
                key = descriptor.name, entry.iid
                assert key not in self.interned, f"{key} is interned twice"
                self.interned[key] = entry.str.decode() if hasattr(entry, "str") else entry.name

    def time(self, packet):
        clock = packet.timestamp_clock_id or self.clock
        if clock == REALTIME:
            return packet.timestamp
        assert clock == self.clock
        self.now_ns += packet.timestamp
        return self.now_ns


def assert_known(message):
    """Checks that there are no unknown fields."""
    assert len(UnknownFieldSet(message)) == 0, message
    for descriptor, value in message.ListFields():
        if descriptor.type == descriptor.TYPE_MESSAGE:
            for each in value if descriptor.is_repeated else [value]:
                assert_known(each)


class PerfettoTrace:
    def __init__(self, data):
        self.sequences = {}
        self.tracks = {}
        trace = Trace()
        trace.ParseFromString(data)
        assert trace.packet[0].clock_snapshot.primary_trace_clock == REALTIME
        for packet in trace.packet:
            self.add(packet)
        for track in self.tracks.values():
            assert not track.open, f"slices of {track.name} are never closed"

    def add(self, packet):
        assert_known(packet)
        number = packet.trusted_packet_sequence_id
        assert number != 0
        if number not in self.sequences:
            self.sequences[number] = Sequence(packet)
        elif packet.HasField("track_event") or packet.HasField("interned_data"):
            assert packet.sequence_flags == NEEDS_STATE
        sequence = self.sequences[number]
        if packet.HasField("interned_data"):
            sequence.intern(packet.interned_data)
        if packet.HasField("track_descriptor"):
            self.add_track(packet.track_descriptor)
        if packet.HasField("track_event"):
            assert packet.HasField("timestamp")
            self.add_event(sequence, sequence.time(packet), packet.track_event)

    def add_track(self, descriptor):
        assert descriptor.uuid not in self.tracks, "a track is described twice"
        track = Track(descriptor.uuid, descriptor.name, parent_uuid=descriptor.parent_uuid)
        if descriptor.HasField("process"):
            track.pid, track.name = descriptor.process.pid, descriptor.process.process_name
        if descriptor.HasField("thread"):
            track.pid, track.tid = descriptor.thread.pid, descriptor.thread.tid
            track.name = descriptor.thread.thread_name
        if descriptor.HasField("counter"):
            track.unit = descriptor.counter.unit_name
        if track.parent_uuid:
            assert track.parent_uuid in self.tracks
        assert track.name
        self.tracks[track.uuid] = track

    def annotations(self, sequence, event):
        found = {}
        for each in event.debug_annotations:
            name = sequence.interned["debug_annotation_names", each.name_iid]
            value = getattr(each, each.WhichOneof("value"))
            if each.WhichOneof("value") == "string_value_iid":
                value = sequence.interned["debug_annotation_string_values", value]
            found[name] = value
        return found

    def add_event(self, sequence, now_ns, event):
        track = self.tracks[event.track_uuid or sequence.track_uuid]
        annotations = self.annotations(sequence, event)
        name = event.name
        if event.name_iid:
            name = sequence.interned["event_names", event.name_iid]
        categories = [sequence.interned["event_categories", iid] for iid in event.category_iids]
        if event.type == TrackEvent.TYPE_SLICE_BEGIN:
            assert name and categories
            track.open.append(
                Slice(name, categories[0], now_ns, 0, len(track.open), annotations, track)
            )
        elif event.type == TrackEvent.TYPE_SLICE_END:
            ended = track.open.pop()
            ended.end_ns = now_ns
            ended.annotations.update(annotations)
            assert ended.end_ns >= ended.begin_ns
            track.slices.append(ended)
        elif event.type == TrackEvent.TYPE_INSTANT:
            track.instants.append((name, now_ns, annotations))
        elif event.type == TrackEvent.TYPE_COUNTER:
            track.values.append((now_ns, event.double_counter_value))
        else:
            raise AssertionError(f"event of type {event.type}")

    def processes(self):
        return [each for each in self.tracks.values() if each.pid and not each.tid]

    def threads(self):
        return [each for each in self.tracks.values() if each.tid]

    def slices(self):
        return [each for track in self.tracks.values() for each in track.slices]
