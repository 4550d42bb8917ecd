/// A result of a check by `doctor`, good or bad.
package struct Finding: Sendable, Hashable {
  var code: Code
  package var severity: Severity
  /// The subject, if there can be several: an adapter, a file.
  var subject: String?
  var sentence: String
  /// The advice in words.
  var advice: String?
  /// The advice as a shell command.
  var command: String?

  init(
    _ code: Code, _ severity: Severity, about subject: String? = nil, _ sentence: String,
    advice: String? = nil,
    command: String? = nil
  ) {
    (self.code, self.severity, self.subject) = (code, severity, subject)
    (self.sentence, self.advice, self.command) = (sentence, advice, command)
  }

  /// The raw values are names in JSON.
  package enum Severity: String, CaseIterable, Sendable {
    case ok
    case note
    case warning
    case error
  }

  /// The raw values are names in JSON.
  package enum Code: String, CaseIterable, Sendable {
    case kernel
    case bus
    case busUnavailable = "bus_unavailable"
    case busPermission = "bus_permission"
    case bluetoothd
    case bluetoothdNotRunning = "bluetoothd_not_running"
    case bluetoothdSilent = "bluetoothd_silent"
    case bluetoothdDebugging = "bluetoothd_debugging"
    case midiPlugin = "midi_plugin"
    case configuration
    case controllerMode = "controller_mode"
    case temporaryTimeout = "temporary_timeout"
    case autoEnable = "auto_enable"
    case slowAdvertisers = "slow_advertisers"
    case supervisionTimeout = "supervision_timeout"
    case storedDevices = "stored_devices"
    case host
    case hostBluetooth = "host_bluetooth"

    case adapter
    case noAdapter = "no_adapter"
    case adapterOff = "adapter_off"
    case adapterBlocked = "adapter_blocked"
    case adapterNotInBlueZ = "adapter_not_in_bluez"
    case foreignScan = "foreign_scan"
    case linksHeld = "links_held"
    case sharedHub = "shared_usb_hub"
    case sharedChip = "wifi_on_same_chip"

    case clock
    case storage
    case fileMode = "file_mode"

    case manifestAdapter = "manifest_adapter"
    case passwords
    case rooms
    case record
    case reception
  }
}
