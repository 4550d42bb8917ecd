import Reporting

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

  /// The raw values are frozen.
  package enum Severity: String, CaseIterable, Sendable, OutputNames {
    case ok
    case note
    case warning
    case error

    static let definition = "finding_severity"
    static let about = "How bad it is."
    var documentation: String {
      switch self {
      case .ok: "It was checked, and nothing is wrong."
      case .note: "It is information, or it could not be checked."
      case .warning: "A run can begin; some of its rooms may fail, or it takes longer."
      case .error: "A run cannot begin, or cannot be recorded."
      }
    }
  }

  /// The raw values are frozen.
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

extension Finding.Code: OutputNames {
  static let definition = "finding_code"
  static let about = "What was found."
  var documentation: String {
    switch self {
    case .kernel: "The kernel, and what is known about it."
    case .bus: "The system bus responds to this user."
    case .busUnavailable: "There is no D-Bus, which Bluetooth requires."
    case .busPermission: "This user may not use Bluetooth."
    case .bluetoothd: "The Bluetooth service, its version and its options."
    case .bluetoothdNotRunning: "The Bluetooth service is not running."
    case .bluetoothdSilent: "The Bluetooth service does not respond, or responds with an error."
    case .bluetoothdDebugging: "The Bluetooth service logs every message, which makes it slow."
    case .midiPlugin:
      "The Bluetooth service reserves the BLE-MIDI service, through which some devices are written."
    case .configuration: "The settings of the Bluetooth service."
    case .controllerMode: "The Bluetooth service uses no Bluetooth LE."
    case .temporaryTimeout: "The Bluetooth service forgets devices sooner than a run expects."
    case .autoEnable: "An adapter that is plugged in stays switched off."
    case .slowAdvertisers: "Devices that advertise rarely cannot be connected to."
    case .supervisionTimeout: "How long a link lasts without a packet."
    case .storedDevices: "How many devices the Bluetooth service keeps in its storage."
    case .host: "Another computer whose adapters are used."
    case .hostBluetooth: "What can be read about this computer's Bluetooth in addition to the bus."
    case .adapter: "An adapter: address, controller, place, state, links."
    case .noAdapter: "There is no adapter."
    case .adapterOff: "An adapter is switched off."
    case .adapterBlocked: "rfkill blocks an adapter."
    case .adapterNotInBlueZ: "The kernel has an adapter that BlueZ does not have."
    case .foreignScan: "Another program scans with an adapter."
    case .linksHeld: "An adapter holds links."
    case .sharedHub: "Several adapters are behind one USB hub."
    case .sharedChip: "An adapter is probably on one chip with WiFi that has a connection."
    case .clock: "Whether a time server sets the clock."
    case .storage: "The directory of the reports and the free space there."
    case .fileMode: "What other users can do with a file."
    case .manifestAdapter: "An adapter that the manifest names."
    case .passwords: "The passwords that the manifest refers to."
    case .rooms: "How rooms without an address get their devices."
    case .record: "The record of the building."
    case .reception: "Which rooms' devices are received from here."
    }
  }
}
