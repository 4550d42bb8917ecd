package import Bluetooth

/// A Bluetooth keyboard, as found in many buildings. It is not a device to provision, but it has the service
/// and characteristic of a Firefly (docs/internals/protocols.md, "Firefly"), because these belong to BLE-MIDI. Only the
/// name distinguishes them. The keyboard plays whatever is written to it, so it must never be written to.
package struct MIDIKeyboardFirmware: Firmware {
  /// `played` is the last message written to it; `isSaved` is true if there was one.
  package private(set) var flash: Flash

  package init(conditions: FirmwareConditions = .init()) {
    flash = Flash(values: conditions.held, isSaved: !conditions.held.isEmpty)
  }

  package var advertising: AdvertisingPayload? {
    AdvertisingPayload(
      isConnectable: true, localName: MIDIKeyboardGATT.localName, serviceUUIDs: [MIDIKeyboardGATT.service])
  }

  /// BLE-MIDI: one service with one characteristic for everything.
  package var services: [ServiceDefinition] {
    [
      .init(
        MIDIKeyboardGATT.service,
        [.init(MIDIKeyboardGATT.messages, [.read, .write, .writeWithoutResponse, .notify])])
    ]
  }

  package mutating func handle(
    _ event: FirmwareEvent, at instant: MonotonicInstant, generator: inout SeededGenerator
  ) -> [FirmwareEffect] {
    switch event {
    case .write(let request, _, let value):
      flash.values["played"] = value
      flash.isSaved = true
      return request.map { [.answer($0, [])] } ?? []
    case .read(let request, _), .subscribe(let request, _, _):
      // A read returns no data (BLE-MIDI 1.0).
      return [.answer(request, [])]
    case .started, .connected, .disconnected, .timer, .button:
      return []
    }
  }
}

/// The keyboard's names. The UUIDs belong to BLE-MIDI.
package enum MIDIKeyboardGATT {
  package static let localName = "Stage Piano"
  package static let service: BluetoothUUID = "03B80E5A-EDE8-4B33-A751-6CE34EC4C700"
  /// MIDI messages: read, write, write without response, notify.
  package static let messages: BluetoothUUID = "7772E5DB-3868-4112-A1A9-F2669D106BF3"
}

extension FirmwareFamily {
  package static let midiKeyboard = FirmwareFamily(name: "midi-keyboard") {
    MIDIKeyboardFirmware(conditions: $0)
  }
}
