package import Model

extension Evidence: RecordedObject {
  package static let definition = "evidence"
  package static let about = "The evidence for a success: always something that the device did."
  package static let fields = [
    "grade": "How strong the evidence is.",
    "address": "The address it came from.",
    "identity": "The identity that was received, if any.",
    "rssi": "Its RSSI in dBm, if known.",
    "seconds_after_save": "Seconds from the submission of the save until it was received.",
    "run": "The earlier run that has it on record, if it was not observed in this run.",
    "seen_at": "When that earlier run observed it.",
  ]
}

extension SettingResult: RecordedObject {
  package static let definition = "setting_result"
  package static let about = "The state of a setting of a room."
  package static let fields = [
    "name": "Which setting.",
    "value": "The value; absent when it is a secret.",
    "state": "Its state.",
    "fingerprint": "Shows whether a secret is still the same, and nothing else about it.",
  ]
}

extension StateSighting: RecordedObject {
  package static let definition = "state_sighting"
  package static let about = "What an address sent, and who received it."
  package static let fields = [
    "adapter": "The adapter that received it.",
    "identity": "Its identity; absent in provisioning mode.",
  ]
}

extension ReceivedCandidate: RecordedObject {
  package static let definition = "received_candidate"
  package static let about = "A device that could be a room's, or that has its identity."
  package static let fields = [
    "adapter": "The adapter that receives it."
  ]
}

extension ApplyPlan: RecordedObject {
  package static let definition = "plan"
  package static let about =
    "The planned actions of a run, room by room, from the sightings and the record. `plan` shows and saves them; `apply --plan` requires the same ones before it writes anything."
  package static let fields = [
    "schema": "Name and version of the format.",
    "building": "The building's stable id.",
    "manifest_sha256":
      "`content:` and the SHA-256 of the manifest's content without passwords (docs/reliability.md).",
    "passwords": "Shows whether a password was changed since; absent without passwords or site key.",
    "rooms": "The rooms of the manifest, in its order.",
  ]
}

extension SealedPasswords: RecordedObject {
  package static let definition = "sealed_passwords"
  package static let about = "A fingerprint that shows whether any password of a building has changed."
  package static let fields = [
    "key": "The name of the site's key.",
    "fingerprint": "One keyed digest (HMAC-SHA-256) over all of them.",
  ]
}

extension PlannedSetting: RecordedObject {
  package static let definition = "planned_setting"
  package static let about = "A setting that would be written to a room's device."
  package static let fields = [
    "name": "Which setting.",
    "value": "The value that would be written; absent when it is a secret.",
    "recorded": "The device's value on record; absent if there is none, or if it is a secret.",
    "change": "How the two compare; absent if unknown.",
  ]
}

extension PlannedStep: RecordedObject {
  package static let definition = "planned_step"
  package static let about = "What a run would do with one room."
  package static let fields = [
    "name": "Its name for people.",
    "action": "What is done.",
    "registered": "True for a room whose device was configured elsewhere; absent otherwise.",
    "basis": "The basis of the assignment.",
    "settings":
      "The settings that would be written, in the order of the family; absent unless `action` is `provision`.",
    "received": "Whether an advertisement of the device was received.",
    "rssi": "Its RSSI in dBm, if known.",
    "evidence": "The evidence for `done`.",
    "outcome": "The outcome of a room that is stopped.",
    "reason": "Why a room is stopped.",
    "exclusion": "Why a room is excluded.",
  ]
}
