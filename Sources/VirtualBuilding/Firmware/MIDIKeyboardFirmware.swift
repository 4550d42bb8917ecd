public import Bluetooth
public import VirtualTime

/// A Bluetooth keyboard, as there are in many buildings: no device of ours, but it offers the service and the
/// characteristic that a Firefly is provisioned by (PROTOCOLS §3), for they are those of BLE-MIDI. Its name is the one
/// thing that tells them apart. It plays whatever is written to it, and must never be written.
public struct MIDIKeyboardFirmware: Firmware {
  /// `played` is the last message written to it; `isSaved`, that there was one.
  public private(set) var flash: Flash

  /// A keyboard.
  public init(conditions: FirmwareConditions = .init()) {
    flash = Flash(values: conditions.held, isSaved: !conditions.held.isEmpty)
  }

  /// The service and a name.
  public var advertising: AdvertisingPayload? {
    AdvertisingPayload(
      isConnectable: true, localName: MIDIKeyboardGATT.localName, serviceUUIDs: [MIDIKeyboardGATT.service])
  }

  /// BLE-MIDI: one service with one characteristic for everything.
  public var services: [ServiceDefinition] {
    [
      .init(
        MIDIKeyboardGATT.service,
        [.init(MIDIKeyboardGATT.messages, [.read, .write, .writeWithoutResponse, .notify])])
    ]
  }

  /// Takes notice of something, and says what it does about it.
  public mutating func handle(
    _ event: FirmwareEvent, at instant: MonotonicInstant, generator: inout SeededGenerator
  ) -> [FirmwareEffect] {
    switch event {
    case .write(let request, _, let value):
      flash.values["played"] = value
      flash.isSaved = true
      return request.map { [.answer($0, [])] } ?? []
    case .read(let request, _), .subscribe(let request, _, _):
      // A read has nothing to give (BLE-MIDI 1.0).
      return [.answer(request, [])]
    case .started, .connected, .disconnected, .timer, .button:
      return []
    }
  }
}

/// The keyboard's names; the UUIDs are BLE-MIDI's.
public enum MIDIKeyboardGATT {
  /// Local name.
  public static let localName = "Stage Piano"
  /// The MIDI service.
  public static let service: BluetoothUUID = "03B80E5A-EDE8-4B33-A751-6CE34EC4C700"
  /// MIDI messages: read, write, write without response, notify.
  public static let messages: BluetoothUUID = "7772E5DB-3868-4112-A1A9-F2669D106BF3"
}

extension FirmwareFamily {
  /// A Bluetooth keyboard.
  public static let midiKeyboard = FirmwareFamily(name: "midi-keyboard") {
    MIDIKeyboardFirmware(conditions: $0)
  }
}
