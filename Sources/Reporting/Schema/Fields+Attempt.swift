package import Model

extension AttemptStarted: RecordedObject {
  package static let definition = "attempt_started"
  package static let about = "An attempt at a device."
  package static let fields = [
    "room": "The room.",
    "address": "The device.",
    "adapter": "The adapter used.",
    "number": "1 for the first.",
    "rssi": "RSSI when it was last received, in dBm.",
    "fresh":
      "False when the device may still hold what an earlier run wrote; absent when it was received waiting for provisioning.",
  ]
}

extension StageStarted: RecordedObject {
  package static let definition = "stage_started"
  package static let about = "A stage of the current attempt."
  package static let fields = [
    "room": "The room.",
    "attempt": "Which attempt at its device.",
    "stage": "The stage.",
    "setting": "The setting being written, in `write`.",
    "timeout": "Its timeout in seconds.",
  ]
}

extension StageEnded: RecordedObject {
  package static let definition = "stage_ended"
  package static let about = "A stage that ended, well or not."
  package static let fields = [
    "room": "The room.",
    "attempt": "Which attempt at its device.",
    "stage": "The stage.",
    "setting": "The setting being written, in `write`.",
    "seconds": "How long it took, in seconds.",
    "failure": "Why it failed; absent when it did not.",
  ]
}

extension StatusReceived: RecordedObject {
  package static let definition = "status_received"
  package static let about = "A status of the device, without secrets."
  package static let fields = [
    "room": "The room.",
    "attempt": "Which attempt at its device.",
    "text": "The text of the status.",
    "meaning": "Its interpretation.",
  ]
}

extension WiFiChecked: RecordedObject {
  package static let definition = "wifi_checked"
  package static let about =
    "The WiFi networks that a device reported before anything was written."
  package static let fields = [
    "room": "The room.",
    "attempt": "Which attempt at its device.",
    "ssid": "The network that the device is to join.",
    "result": "Whether it receives this network.",
    "networks": "The networks that it receives, the strongest first.",
  ]
}

extension FoundNetwork: RecordedObject {
  package static let definition = "received_network"
  package static let about = "A WiFi network as a device receives it."
  package static let fields = [
    "ssid": "Its SSID; empty if the network hides it.",
    "rssi": "RSSI at the device, in dBm.",
  ]
}

extension SettingsRead: RecordedObject {
  package static let definition = "settings_read"
  package static let about = "The settings of the device, read before the first write."
  package static let fields = [
    "room": "The room.",
    "attempt": "Which attempt at its device.",
    "settings": "Each setting, formatted for people, in the profile's order.",
  ]
}

extension HeldSetting: RecordedObject {
  package static let definition = "held_setting"
  package static let about = "A setting and the value that a device has for it."
  package static let fields = [
    "name": "Which setting.",
    "value": "Its value, formatted for people, or its bytes in hex if they have no meaning.",
  ]
}

extension ElapsedSent: RecordedObject {
  package static let definition = "elapsed_sent"
  package static let about = "The time from an action to the write of this time to the device."
  package static let fields = [
    "room": "The room.",
    "attempt": "Which attempt at its device.",
    "seconds": "Seconds from the action to the write, to the microsecond.",
    "byte": "The byte that the device got for it.",
    "since": "The start of the time.",
  ]
}

extension SettingWritten: RecordedObject {
  package static let definition = "setting_written"
  package static let about = "A setting that the device confirmed."
  package static let fields = [
    "room": "The room.",
    "attempt": "Which attempt at its device.",
    "setting": "The setting.",
    "bytes": "How many bytes were written; absent for a secret, whose length is part of it.",
  ]
}

extension SaveSubmitted: RecordedObject {
  package static let definition = "save_submitted"
  package static let about = "The moment from which the device may have changed."
  package static let fields = [
    "room": "The room.",
    "attempt": "Which attempt at its device.",
    "address": "The device.",
  ]
}

extension LinkEnded: RecordedObject {
  package static let definition = "link_ended"
  package static let about = "A link that ended."
  package static let fields = [
    "room": "The room.",
    "attempt": "Which attempt at its device.",
    "cause": "What ended it.",
    "expected": "Whether it was the expected end.",
  ]
}

extension ProofReceived: RecordedObject {
  package static let definition = "proof_received"
  package static let about = "The device's own proof."
  package static let fields = [
    "room": "The room.",
    "attempt": "Which attempt at its device.",
    "evidence": "What was received.",
  ]
}

extension AttemptEnded: RecordedObject {
  package static let definition = "attempt_ended"
  package static let about = "An attempt's end."
  package static let fields = [
    "room": "The room.",
    "number": "Which attempt.",
    "seconds": "How long it took, in seconds.",
    "failure": "Why it failed; absent when it did not.",
    "not_counted":
      "Why it does not count, so that the next attempt has the same number; absent when it counts.",
  ]
}

extension RetryScheduled: RecordedObject {
  package static let definition = "retry_scheduled"
  package static let about = "Another attempt to come."
  package static let fields = [
    "room": "The room.",
    "attempt": "Its number.",
    "delay": "Seconds until it may begin.",
  ]
}
