import Bluetooth
import Model
import Testing

@testable import Application

@Suite("A walk through the rooms")
struct WalkTests {
  private static func address(_ number: UInt64) -> BluetoothAddress {
    BluetoothAddress(rawValue: 0xC47C_8D00_0000 + number)
  }

  /// Rooms A to D; B has a device. Device 9 belongs to a room that is done.
  private static func walk() -> Walk {
    Walk(
      ["A", "B", "C", "D"].map { name in
        Walk.Stop(
          room: RoomID(rawValue: name.lowercased()), name: name, family: "robo-sensor",
          address: name == "B" ? address(2) : nil)
      }, owners: [.address(address(9)): "Lobby"])
  }

  @Test("a label assigns its device, and the next room follows after a success")
  func label() throws {
    var walk = Self.walk()
    let stop = try #require(walk.current)
    #expect(
      walk.take(.line("MAC: C4:7C:8D:00:00:01"), proposal: nil)
        == .assign(DeviceLabel(.address(Self.address(1))), stop))
    walk.assigned(.address(Self.address(1)), to: "a")
    walk.ended("a", isDone: true)
    #expect(walk.current?.name == "B")
    #expect(walk.left.map(\.name) == ["B", "C", "D"])
  }

  @Test("Enter assigns the proposed device unless another room has it")
  func proposal() throws {
    var walk = Self.walk()
    let stop = try #require(walk.current)
    #expect(walk.take(.enter, proposal: nil) == .show(.nothingToTake))
    #expect(walk.take(.enter, proposal: Self.address(9)) == .show(.nothingToTake))
    #expect(walk.take(.enter, proposal: Self.address(2)) == .show(.nothingToTake))
    #expect(
      walk.take(.enter, proposal: Self.address(5)) == .assign(DeviceLabel(.address(Self.address(5))), stop))
  }

  @Test("a label of another room's device, or of another device than the room's, is reported")
  func wrongLabel() {
    var walk = Self.walk()
    #expect(
      walk.take(.line("C47C8D000009"), proposal: nil)
        == .show(.wrongLabel(.address(Self.address(9)), room: "Lobby")))
    #expect(
      walk.take(.line("C47C8D000002"), proposal: nil)
        == .show(.wrongLabel(.address(Self.address(2)), room: "B")))
    #expect(walk.take(.line("036000291452"), proposal: nil) == .show(.badLabel(.barcode)))
    #expect(walk.take(.line("C47C8D"), proposal: nil) == .show(.badLabel(.noAddress(digits: 6))))
    _ = walk.take(.key("s"), proposal: nil)
    #expect(
      walk.take(.line("C47C8D000003"), proposal: nil)
        == .show(.otherDevice(.address(Self.address(3)), has: .address(Self.address(2)))))
  }

  @Test("Enter or the room's own label provisions a room whose device is known")
  func known() throws {
    var walk = Self.walk()
    #expect(walk.take(.key("s"), proposal: nil) == .show(.skipped("A")))
    let stop = try #require(walk.current)
    #expect(
      walk.take(.enter, proposal: Self.address(5)) == .provision(stop), "the proposed device is ignored")
    #expect(walk.take(.line("C47C8D000002"), proposal: nil) == .provision(stop))
  }

  @Test("a room that needs the secrets on a label takes only a label with its device's name")
  func needsLabel() throws {
    var walk = Walk([
      .init(room: "a", name: "A", family: "esp-idf", needsLabel: true),
      .init(room: "b", name: "B", family: "esp-idf", deviceName: "PROV_2"),
    ])
    let stop = try #require(walk.current)
    #expect(walk.take(.enter, proposal: Self.address(5)) == .show(.needsLabel))
    #expect(walk.take(.line("C47C8D000005"), proposal: nil) == .show(.needsLabel))
    func label(_ name: String, _ pop: String) -> String {
      #"{"name":"\#(name)","pop":"\#(pop)","transport":"ble"}"#
    }
    func read(_ name: String, _ pop: String) -> DeviceLabel {
      .init(.name(name), secrets: ["pop": Secret(pop)])
    }
    #expect(
      walk.take(.line(label("PROV_2", "x")), proposal: nil) == .show(.wrongLabel(.name("PROV_2"), room: "B")))
    #expect(walk.take(.line(label("PROV_1", "x")), proposal: nil) == .assign(read("PROV_1", "x"), stop))
    walk.assigned(.name("PROV_1"), to: "a")
    walk.ended("a", isDone: false)
    let failed = try #require(walk.current)
    #expect(walk.take(.key("l"), proposal: nil) == .locate(.name("PROV_1")))
    #expect(
      walk.take(.line(label("PROV_1", "y")), proposal: nil) == .assign(read("PROV_1", "y"), failed),
      "the secret was another label's")
    #expect(
      walk.take(.line(label("PROV_3", "x")), proposal: nil)
        == .show(.otherDevice(.name("PROV_3"), has: .name("PROV_1"))))
    walk.ended("a", isDone: true)
    let known = try #require(walk.current)
    #expect(walk.take(.enter, proposal: nil) == .provision(known), "the manifest has its device")
  }

  @Test("a failed room stays current until it is retried, undone or skipped")
  func failed() throws {
    var walk = Self.walk()
    walk.assigned(.address(Self.address(1)), to: "a")
    walk.ended("a", isDone: false)
    let stop = try #require(walk.current)
    #expect(stop.name == "A" && stop.state == .failed)
    #expect(walk.take(.key("r"), proposal: nil) == .provision(stop))
    #expect(walk.take(.key("u"), proposal: nil) == .undo(stop))
    walk.undone("a")
    #expect(walk.current?.address == nil && walk.current?.state == .open)
    _ = walk.take(.key("s"), proposal: nil)
    #expect(walk.current?.name == "B" && walk.left.count == 4)
  }

  @Test("undo removes an address that this walk assigned, unless the room is done")
  func undo() throws {
    var walk = Self.walk()
    #expect(walk.take(.key("u"), proposal: nil) == .show(.nothingToUndo))
    walk.assigned(.address(Self.address(1)), to: "a")
    walk.ended("a", isDone: false)
    let failed = try #require(walk.current)
    _ = walk.take(.key("s"), proposal: nil)
    #expect(walk.take(.key("u"), proposal: nil) == .undo(failed))
    walk.undone("a")
    #expect(walk.current?.name == "A", "the room is current again")
    walk.assigned(.address(Self.address(1)), to: "a")
    walk.ended("a", isDone: true)
    #expect(
      walk.take(.key("u"), proposal: nil) == .show(.nothingToUndo), "a room that is done keeps its address")
  }

  @Test("`l` locates the room's device or the proposed one, and `q` or the last room ends the walk")
  func keys() {
    var walk = Self.walk()
    #expect(walk.take(.key("l"), proposal: nil) == .show(.noDevice))
    #expect(walk.take(.key("l"), proposal: Self.address(5)) == .locate(.address(Self.address(5))))
    #expect(walk.take(.key("?"), proposal: nil) == .show(.help))
    #expect(walk.take(.key("q"), proposal: nil) == .quit)
    for _ in 0..<4 { _ = walk.take(.key("s"), proposal: nil) }
    #expect(walk.current == nil && walk.take(.enter, proposal: nil) == .quit)
  }

  @Test("`i` has the room's device or the proposed one blink, in a family that can")
  func identify() {
    var walk = Walk([
      .init(room: "a", name: "A", family: "improv-wifi", canIdentify: true),
      .init(room: "b", name: "B", family: "improv-wifi", canIdentify: true, address: Self.address(2)),
      .init(room: "c", name: "C", family: "improv-wifi", address: Self.address(3)),
    ])
    #expect(walk.take(.key("i"), proposal: nil) == .show(.noDevice))
    #expect(walk.take(.key("i"), proposal: Self.address(5)) == .identify(.address(Self.address(5))))
    _ = walk.take(.key("s"), proposal: nil)
    #expect(walk.take(.key("i"), proposal: Self.address(5)) == .identify(.address(Self.address(2))))
    _ = walk.take(.key("s"), proposal: nil)
    #expect(walk.take(.key("i"), proposal: nil) == .show(.cannotIdentify))
  }

  @Test("no command key is a hexadecimal digit")
  func commandKeys() {
    for key in Walk.keys { #expect(!key.isHexDigit, "\(key)") }
  }
}
