import Bluetooth
import Testing
import VirtualBuilding

@Suite("A Bluetooth keyboard")
struct MIDIKeyboardFirmwareTests {
  @Test(
    "a keyboard offers MIDI, accepts and stores any write, and stays connected", arguments: WriteKind.both)
  func midi(_ kind: WriteKind) async throws {
    try await Building.run(change: { $0.sensors[0].family = .midiKeyboard }) { (building) async throws in
      let received = try #require(try await building.receive())
      #expect(received.serviceUUIDs == [MIDIKeyboardGATT.service])
      #expect(received.localName?.hasPrefix("Firefl") == false)
      let peripheral = try await building.connect()
      let service = try await peripheral.discover(
        MIDIKeyboardGATT.service, requiring: [MIDIKeyboardGATT.messages])
      let messages = try service.require(MIDIKeyboardGATT.messages)
      #expect(try await peripheral.read(messages) == [])
      #expect(await building.world.flash(of: Building.sensor(1)) == Flash())
      try await peripheral.write([0x80, 0x80, 0x90, 0x3C, 0x40], to: messages, kind)
      try await building.clock.sleep(for: .seconds(5))
      let flash = await building.world.flash(of: Building.sensor(1))
      #expect(flash == Flash(values: ["played": [0x80, 0x80, 0x90, 0x3C, 0x40]], isSaved: true))
      #expect(await building.world.openLinkCount() == 1)
    }
  }
}

extension WriteKind {
  fileprivate static let both: [WriteKind] = [.withResponse, .withoutResponse]
}
