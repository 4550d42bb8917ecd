import Bluetooth
import Testing

@testable import Application

@Suite("Bonds that a person removes")
struct BondWordsTests {
  @Test("each has a sentence with its computer, in order")
  func sentences() {
    let (first, second) = (BluetoothAddress(rawValue: 1), BluetoothAddress(rawValue: 2))
    let own = AdapterID(BluetoothAddress(rawValue: 0xAD))
    let other = AdapterID(BluetoothAddress(rawValue: 0xAD), on: HostName("floor-3"))
    #expect(
      BondWords.removing([own: [second, first]], verb: "has") == [
        "The computer of \(own) has a bond with \(first): run `bluetoothctl remove \(first)` there.",
        "The computer of \(own) has a bond with \(second): run `bluetoothctl remove \(second)` there.",
      ])
    #expect(
      BondWords.removing([other: [first], own: []], verb: "may have", origin: "which a run made") == [
        """
        The host floor-3 may have a bond with \(first), which a run made: run `bluetoothctl remove \(first)` there.
        """
      ])
  }
}
