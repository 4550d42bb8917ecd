import Bluetooth
import Model
import Testing

@testable import Labels

@Suite("A walk through the rooms")
struct WalkTests {
  private static func address(_ number: UInt64) -> BluetoothAddress {
    BluetoothAddress(rawValue: 0xC47C_8D00_0000 + number)
  }

  /// Rooms A to D, of which B has a device; device 9 is that of a room that is done.
  private static func walk() -> Walk {
    Walk(
      ["A", "B", "C", "D"].map { name in
        Walk.Stop(
          room: RoomID(rawValue: name.lowercased()), name: name, address: name == "B" ? address(2) : nil)
      }, owners: [address(9): "Lobby"])
  }

  @Test("takes the device of a label, and goes on with the next room once it is done")
  func label() throws {
    var walk = Self.walk()
    let stop = try #require(walk.current)
    #expect(walk.take(.line("MAC: C4:7C:8D:00:00:01"), proposal: nil) == .assign(Self.address(1), stop))
    walk.assigned(Self.address(1), to: "a")
    walk.ended("a", isDone: true)
    #expect(walk.current?.name == "B")
    #expect(walk.left.map(\.name) == ["B", "C", "D"])
  }

  @Test("takes the proposed device on Enter, but none that another room has")
  func proposal() throws {
    var walk = Self.walk()
    let stop = try #require(walk.current)
    #expect(walk.take(.enter, proposal: nil) == .tell(.nothingToTake))
    #expect(walk.take(.enter, proposal: Self.address(9)) == .tell(.nothingToTake))
    #expect(walk.take(.enter, proposal: Self.address(2)) == .tell(.nothingToTake))
    #expect(walk.take(.enter, proposal: Self.address(5)) == .assign(Self.address(5), stop))
  }

  @Test("reports a wrong label at once: another room's, or another than the room has")
  func wrongLabel() {
    var walk = Self.walk()
    #expect(
      walk.take(.line("C47C8D000009"), proposal: nil) == .tell(.wrongLabel(Self.address(9), room: "Lobby")))
    #expect(walk.take(.line("C47C8D000002"), proposal: nil) == .tell(.wrongLabel(Self.address(2), room: "B")))
    #expect(walk.take(.line("C47C8D"), proposal: nil) == .tell(.badLabel(.noAddress(digits: 6))))
    _ = walk.take(.key("s"), proposal: nil)
    #expect(
      walk.take(.line("C47C8D000003"), proposal: nil)
        == .tell(.otherDevice(Self.address(3), has: Self.address(2))))
  }

  @Test("starts a room whose device is known on Enter, or by its own label")
  func known() throws {
    var walk = Self.walk()
    #expect(walk.take(.key("s"), proposal: nil) == .tell(.skipped("A")))
    let stop = try #require(walk.current)
    #expect(walk.take(.enter, proposal: Self.address(5)) == .provision(stop), "never the proposed one")
    #expect(walk.take(.line("C47C8D000002"), proposal: nil) == .provision(stop))
  }

  @Test("stays at a room that failed: retry, undo, or skip")
  func failed() throws {
    var walk = Self.walk()
    walk.assigned(Self.address(1), to: "a")
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

  @Test("undoes the address of the room before while it is not done, and none that it did not give")
  func undo() throws {
    var walk = Self.walk()
    #expect(walk.take(.key("u"), proposal: nil) == .tell(.nothingToUndo))
    walk.assigned(Self.address(1), to: "a")
    walk.ended("a", isDone: false)
    let failed = try #require(walk.current)
    _ = walk.take(.key("s"), proposal: nil)
    #expect(walk.take(.key("u"), proposal: nil) == .undo(failed))
    walk.undone("a")
    #expect(walk.current?.name == "A", "it is next again")
    walk.assigned(Self.address(1), to: "a")
    walk.ended("a", isDone: true)
    #expect(walk.take(.key("u"), proposal: nil) == .tell(.nothingToUndo), "what is done is not undone")
  }

  @Test("locates the room's device, or the proposed one; ends with q, and after the last room")
  func keys() {
    var walk = Self.walk()
    #expect(walk.take(.key("l"), proposal: nil) == .tell(.noDevice))
    #expect(walk.take(.key("l"), proposal: Self.address(5)) == .locate(Self.address(5)))
    #expect(walk.take(.key("?"), proposal: nil) == .tell(.help))
    #expect(walk.take(.key("q"), proposal: nil) == .quit)
    for _ in 0..<4 { _ = walk.take(.key("s"), proposal: nil) }
    #expect(walk.current == nil && walk.take(.enter, proposal: nil) == .quit)
  }

  @Test("no key begins a label")
  func keysAreNoDigits() {
    for key in Walk.keys { #expect(!key.isHexDigit, "\(key)") }
  }
}
