package import Model

extension FailureReason.Form: RecordedObject {
  package static let definition = "failure"
  package static let about =
    "Why something did not succeed: a code, and the context that this code has."
  package static let fields = [
    "code": "Which reason it is.",
    "stage": "The stage of the attempt in which it happened.",
    "setting": "The setting that was being written or read.",
    "att_error": "The ATT error in the device's response.",
    "device_text": "The error message of the device, without secrets.",
    "stack_text":
      "The error message of the Bluetooth stack, without secrets; for `adapter_claimed` the run that holds the adapter.",
    "held": "What the device holds instead of what is wanted, formatted for people.",
    "identity": "The identity that was received instead, or that another device has.",
    "addresses": "Other devices concerned: candidates, or those that have the room's identity.",
    "candidates": "The devices that could be the room's, or that have its identity, and the RSSI of each.",
    "sightings": "Two sightings of one address that cannot be of one device.",
    "near": "The adapter that the room is near, as the manifest names it.",
    "seconds": "The timeout that expired, in seconds.",
    "ssid": "The WiFi network that the device is to join.",
    "source": "Where the credentials come from, as the manifest writes it: `env: ESP_POP`.",
    "networks": "The WiFi networks that the device receives.",
    "families": "The device families that recognise the device.",
    "changes": "The settings that the manifest has changed since they were written.",
    "earlier": "Those of the other devices that the room had before.",
    "cause": "Why the device could not join the WiFi network.",
  ]
}
