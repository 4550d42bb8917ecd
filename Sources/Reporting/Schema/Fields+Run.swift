package import Model

extension RunStarted: ExplainedKeys {
  package static let fields = [
    "command": "The command that made the record.",
    "run": "Globally unique id of the run: time, host and a random part.",
    "building": "The building's stable id.",
    "building_name": "The building's name for people.",
    "tool_version": "Version of roboprov.",
    "host": "Name of the run's host.",
    "kernel": "The host's kernel; absent if unknown.",
    "os": "The host's operating system; absent if it does not report it.",
    "operator": "The person who ran it; absent if none is named.",
    "clock_synchronised":
      "Whether a time server set the host's clock; absent if the host does not report it.",
    "clock_behind":
      "How far the host's clock was behind the newest event that the run had read, in seconds; absent unless it was behind.",
    "predecessors":
      "The runs that this run had read and that no other of them names; absent if it had read none. The order of runs follows from them, not from a clock.",
    "manifest_path": "The manifest as it was named on the command line.",
    "manifest_sha256":
      "`content:` and the SHA-256 of the manifest's content without passwords (docs/reliability.md).",
    "simulated": "Whether the building was virtual.",
    "seal_key":
      "The name of the key for the secrets' fingerprints, so that fingerprints of different keys are not compared; absent without a key.",
    "rooms": "The rooms of the manifest, in its order, including excluded rooms.",
    "families":
      "The device families of the program that made the record, so that readers need no others; absent without any.",
  ]
}

extension PlannedRoom: RecordedObject {
  package static let definition = "planned_room"
  package static let about = "A room as the run planned it."
  package static let fields = [
    "room": "Its stable identity.",
    "name": "Its name for people.",
    "floor": "Its floor; absent if the manifest has none.",
    "group": "Its group; absent if the manifest has it in none.",
    "profile": "The device family.",
    "address": "The address the manifest gives.",
    "registered": "True when its device is configured elsewhere and is only looked for; absent otherwise.",
    "proof": "The address from which a beacon proves its device; absent: only its own.",
    "settings": "Its settings in the profile's order; no secret has a value here.",
    "identity": "The identity that its device sends with these settings; absent for families without one.",
    "exclusion": "Why it is excluded, if it is.",
  ]
}

extension RecordedFamily: RecordedObject {
  package static let definition = "family"
  package static let about = "What readers of a record need to know of a device family."
  package static let fields = [
    "id": "Its stable name.",
    "title": "Its name for people.",
    "words": "The words for messages about its devices.",
    "rewritable": "Whether a configured device takes other settings without an operator action.",
    "settings": "Its settings, in the order of display.",
    "digest":
      "`content:` and the SHA-256 of the content of the file that describes it; absent for a family of the program.",
  ]
}

extension RecordedFamily.Setting: RecordedObject {
  package static let definition = "family_setting"
  package static let about = "A setting of a device family."
  package static let fields = [
    "name": "Its stable name.",
    "title": "Its name for people.",
    "short_title": "Its name for people in front of a value.",
    "on_air": "Whether the device's identity contains it.",
    "written": "Whether it is written; otherwise the firmware decides it, and it is only expected on air.",
  ]
}

extension DeviceWords: RecordedObject {
  package static let definition = "family_words"
  package static let about = "The words for messages about the devices of a family."
  package static let fields = [
    "noun": "The noun.",
    "make_it_wait": "How to put a device into provisioning mode; absent when it can always be written.",
    "still_waiting": "How to see that it is in provisioning mode, as a condition.",
    "not_waiting": "How to see that it is not, as a condition.",
    "label": "A note about the address on its label; absent without one.",
    "not_answering": "Further advice when a connection fails; absent without any.",
    "service_missing": "The advice when its service is missing; absent for the general advice.",
  ]
}

extension Predecessor: RecordedObject {
  package static let definition = "predecessor"
  package static let about = "A run whose record a later run had read, as far as it went then."
  package static let fields = [
    "run": "Its id.",
    "last": "SHA-256 of the last line of its journal, lower-case hex: it covers the whole journal.",
  ]
}

extension EventsOmitted: ExplainedKeys {
  package static let fields = ["omitted": "What was left out since the last such event, by kind."]
}

extension EventsOmitted.Count: RecordedObject {
  package static let definition = "omitted_events"
  package static let about = "How many events of a kind were left out of the record."
  package static let fields = ["kind": "The kind of event.", "count": "How many."]
}

extension HostPause: ExplainedKeys {
  package static let fields = [
    "kind": "What kind of pause it was.",
    "seconds": "Its length in seconds; for a clock that was set, the change, negative for backward.",
  ]
}

extension OperatorAwaited: ExplainedKeys {
  package static let fields = [
    "reason": "Why the room cannot continue before that."
  ]
}

extension OperatorRequested: ExplainedKeys {
  package static let fields = [
    "request": "The request.",
    "within": "For `stop`: how long attempts in flight continue at most, in seconds.",
  ]
}

extension CanariesJudged: ExplainedKeys {
  package static let fields = [
    "rooms": "The rooms that were done first.",
    "approved": "Whether the run continues with the other rooms.",
  ]
}

extension RoomFinished: ExplainedKeys {
  package static let fields = [
    "outcome": "How it ended.",
    "address": "Its device, if one was bound or named.",
    "adapter": "The adapter last used for it.",
    "attempts": "How many attempts count.",
    "seconds": "Seconds from its first attempt to this, waiting for retries included; 0 without attempt.",
    "rssi": "RSSI last received from it, in dBm.",
    "evidence": "The evidence for the outcome.",
    "settings": "The state of each setting.",
    "reason": "Why it is not a success; absent when it is.",
  ]
}

extension RunInterrupted: ExplainedKeys {
  package static let fields = [
    "cause": "What stopped the run.",
    "detail": "Details for the log.",
  ]
}

extension RunFinished: ExplainedKeys {
  package static let fields = [
    "outcome": "How it ended as a whole."
  ]
}

extension Exclusion: RecordedObject {
  package static let definition = "exclusion"
  package static let about = "Why a room of the manifest is excluded."
  package static let fields = [
    "cause": "What excludes it.",
    "reason": "Why it was accepted or retired.",
    "by": "Who accepted it.",
  ]
}

extension BindingCommitted: ExplainedKeys {
  package static let fields = [
    "basis": "The basis of the binding.",
    "consent": "How the operator permitted it; absent if the manifest or the record names the device.",
  ]
}

extension BindingReleased: ExplainedKeys {
  package static let fields = [
    "address": "The device it had.",
    "cause": "Why.",
    "reason": "The reason that a person gave.",
    "silent":
      "Whether a scan confirmed that the device is not on air; absent without such a scan, and if it did not use the adapter that last proved its room.",
    "adapters": "The adapters that scanned for it; absent without a scan.",
    "successor": "The device that the room gets instead, if a person named it.",
  ]
}

extension RoomRetired: ExplainedKeys {
  package static let fields = [
    "reason": "The reason that a person gave."
  ]
}

extension RoomAccepted: ExplainedKeys {
  package static let fields = [
    "reason": "Why.",
    "by": "The person responsible for it.",
  ]
}

extension AdapterScan: RecordedObject {
  package static let definition = "adapter_scan"
  package static let about = "How long an adapter scanned."
  package static let fields = [
    "adapter": "The adapter.",
    "name": "Its name at that time: `hci0`; with the host if it is another computer's.",
    "seconds": "Its scan time in seconds.",
    "complete": "Whether it scanned to the end; false if it failed, or was lost.",
  ]
}

extension RoomVerified: ExplainedKeys {
  package static let fields = [
    "finding": "What was found.",
    "address": "Its device, if one is known.",
    "identity": "Its identity, where it has one.",
    "held_identity": "What its device sends instead, if it sends another identity.",
    "rssi": "RSSI of its device in dBm: the median over the scan windows in which it was received.",
    "rssi_min": "The lowest of these.",
    "rssi_max": "The highest of these.",
    "windows_received": "The number of scan windows that received it with the room's identity.",
    "windows": "The number of all scan windows.",
    "others": "The other devices with the room's identity.",
    "adapter": "The adapter that received its device most strongly, if one did.",
    "adapters": "The adapters that scanned; absent in records of versions that did not note them.",
    "unused": "The adapter that has proved the room and did not scan, if the room was not searched.",
  ]
}
