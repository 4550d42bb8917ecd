package import Model

extension AttemptStarted: ExplainedKeys {
  package static let fields = [
    "adapter": "The adapter used.",
    "number": "1 for the first.",
    "rssi": "RSSI when it was last received, in dBm.",
    "fresh":
      "False when the device may still hold what an earlier run wrote; absent when it was received waiting for provisioning.",
  ]
}

extension StageStarted: ExplainedKeys {
  package static let fields = [
    "timeout": "Its timeout in seconds."
  ]
}

extension StageEnded: ExplainedKeys {
  package static let fields = [
    "seconds": "How long it took, in seconds.",
    "failure": "Why it failed; absent when it did not.",
  ]
}

extension StatusReceived: ExplainedKeys {
  package static let fields = [
    "text": "The text of the status.",
    "meaning": "Its interpretation.",
  ]
}

extension WiFiChecked: ExplainedKeys {
  package static let fields = [
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

extension SettingsRead: ExplainedKeys {
  package static let fields = [
    "settings": "Each setting, formatted for people, in the profile's order."
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

extension DeviceDescribed: ExplainedKeys {
  package static let fields = [
    "details": "What the device reported."
  ]
}

extension DeviceDetail: RecordedObject {
  package static let definition = "device_detail"
  package static let about = "What a device reports of itself."
  package static let fields = [
    "name": "What the value is.",
    "value": "The value in the device's words, without secrets.",
  ]
}

extension ElapsedSent: ExplainedKeys {
  package static let fields = [
    "seconds": "Seconds from the action to the write, to the microsecond.",
    "byte": "The byte that the device got for it.",
    "since": "The start of the time.",
  ]
}

extension SettingWritten: ExplainedKeys {
  package static let fields = [
    "setting": "The setting.",
    "bytes": "How many bytes were written; absent for a secret, because its length is secret, too.",
  ]
}

extension LinkEnded: ExplainedKeys {
  package static let fields = [
    "cause": "What ended it.",
    "expected": "Whether it was the expected end.",
  ]
}

extension ProofReceived: ExplainedKeys {
  package static let fields = [
    "evidence": "What was received."
  ]
}

extension AttemptEnded: ExplainedKeys {
  package static let fields = [
    "number": "Which attempt.",
    "seconds": "How long it took, in seconds.",
    "failure": "Why it failed; absent when it did not.",
    "not_counted":
      "Why it does not count, so that the next attempt has the same number; absent when it counts.",
  ]
}

extension RetryScheduled: ExplainedKeys {
  package static let fields = [
    "attempt": "Its number.",
    "delay": "Seconds until it may begin.",
  ]
}
