import Bluetooth
import Engine
import Families
import Foundation
import Model
import Testing

@testable import Application

@Suite("A walk through the rooms")
struct WalkTests {
  private static func address(_ number: UInt64) -> BluetoothAddress {
    BluetoothAddress(rawValue: 0xC47C_8D00_0000 + number)
  }

  private static func room(
    _ name: String, _ family: DeviceFamily = .roboSensor, _ number: UInt64? = nil, named device: String? = nil
  ) -> Room {
    Room(
      id: RoomID(rawValue: name.lowercased()), name: name, family: family, address: number.map(address),
      deviceName: device, settings: [:], timeouts: StageTimeouts(), retries: 0)
  }

  /// A walk that provisions these rooms. Device 9 belongs to another room.
  private static func walk(_ rooms: [Room], unlabelled: Set<RoomID> = []) -> Walk {
    let building = Building(
      id: "b", name: "B", rooms: rooms + [room("Lobby", .roboSensor, 9)], families: FamilyCatalogue.builtIn)
    return Walk(rooms, of: building, unlabelled: unlabelled, provisions: true)
  }

  @Test("a passkey comes from the file of labels, by the address that was read")
  func passkeys() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "walk-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let labels = #"{ "\#(Self.address(7))": { "passkey": "012345" } }"#
    let file = folder.appending(path: "labels.json").path
    #expect(
      FileManager.default.createFile(
        atPath: file, contents: Data(labels.utf8), attributes: [.posixPermissions: 0o600]))
    var family = DeviceFamily.roboSensor
    family.access = [
      SettingDescription(.passkey, "passkey", .passkey, isRequired: true, isOnLabel: true, documentation: "")
    ]
    var room = Self.room("A", family)
    room.access[.passkey] = .secret(
      Secret(
        SecretReference(
          .labels("./labels.json", device: nil, setting: .passkey),
          file: folder.appending(path: "b.yaml").path, line: 1, column: 1)))
    let building = Building(id: "b", name: "B", rooms: [room], families: FamilyCatalogue.builtIn)
    func secrets(_ number: UInt64) throws -> [SettingName: Secret] {
      let device = DeviceReference.address(Self.address(number))
      let assignment = Walk.Assignment(
        index: 0, room: "a", name: "A", label: DeviceLabel(device), device: device)
      return try DeviceLabel.completed([assignment], in: building)[0].label.secrets
    }
    #expect(try secrets(7) == [.passkey: Secret("012345")])
    #expect(throws: (any Error).self) { try secrets(8) }
  }

  /// Rooms A to D; B has a device.
  private static func walk() -> Walk {
    walk(["A", "B", "C", "D"].map { room($0, .roboSensor, $0 == "B" ? 2 : nil) })
  }

  private static func saving(_ label: DeviceLabel, for name: String) -> Walk.Action {
    .save([
      .init(
        index: ["A", "B", "C", "D"].firstIndex(of: name) ?? 0, room: RoomID(rawValue: name.lowercased()),
        name: name, label: label, device: label.device)
    ])
  }

  private static func saving(_ number: UInt64, for name: String) -> Walk.Action {
    saving(DeviceLabel(.address(address(number))), for: name)
  }

  /// Reads a label, saves its device, and records the result of provisioning it.
  private static func read(_ label: String, in walk: inout Walk, isDone: Bool) {
    guard case .save = walk.read(label) else { return #expect(Bool(false)) }
    walk.saved()
    walk.ended(isDone: isDone)
  }

  @Test("a label assigns its device, and the next room follows after a success")
  func label() {
    var walk = Self.walk()
    #expect(walk.prompt.words == "[1/4] A")
    #expect(walk.read("MAC: C4:7C:8D:00:00:01") == Self.saving(1, for: "A"))
    walk.saved()
    #expect(walk.current?.name == "A", "until it is provisioned")
    walk.ended(isDone: true)
    #expect(walk.prompt.words == "[2/4] B (now C4:7C:8D:00:00:02)")
    #expect(walk.left.map(\.name) == ["B", "C", "D"])
  }

  @Test("Enter assigns the proposed device unless another room has it")
  func proposal() {
    var walk = Self.walk()
    #expect(walk.read(".") == .show(.nothingToTake))
    #expect(walk.read(".", nearest: Self.address(9)) == .show(.nothingToTake))
    #expect(walk.read(".", nearest: Self.address(2)) == .show(.nothingToTake))
    #expect(walk.read(".", nearest: Self.address(5)) == Self.saving(5, for: "A"))
  }

  @Test("a label of another room's device, or of another device than the room's, is reported")
  func wrongLabel() {
    var walk = Self.walk()
    #expect(walk.read("C47C8D000009") == .show(.wrongLabel(.address(Self.address(9)), room: "Lobby")))
    #expect(walk.read("C47C8D000002") == .show(.wrongLabel(.address(Self.address(2)), room: "B")))
    #expect(walk.read("036000291452") == .show(.badLabel(.barcode)))
    #expect(walk.read("C47C8D00000G") == .show(.badLabel(.noAddress(digits: nil))))
    _ = walk.read("s")
    #expect(
      walk.read("C47C8D000003")
        == .show(.otherDevice(.address(Self.address(3)), has: .address(Self.address(2)))))
  }

  @Test("Enter or the room's own label provisions a room whose device is known")
  func known() {
    var walk = Self.walk()
    #expect(walk.read("s") == .show(.skipped("A")))
    #expect(walk.read(".", nearest: Self.address(5)) == .provision("b"), "the proposed device is ignored")
    #expect(walk.read("C47C8D000002") == .provision("b"))
  }

  @Test("a device on record is the room's, and of no other room")
  func recorded() {
    let rooms = ["A", "B", "C"].map { Self.room($0) }
    let building = Building(id: "b", name: "B", rooms: rooms, families: FamilyCatalogue.builtIn)
    var walk = Walk(Array(rooms[0...1]), of: building, provisions: true) { room in
      Self.address(room.id == "a" ? 1 : room.id == "b" ? 2 : 3)
    }
    #expect(walk.read(".") == .provision("a"))
    #expect(walk.read("C47C8D000002") == .show(.wrongLabel(.address(Self.address(2)), room: "B")))
    #expect(walk.read("C47C8D000003") == .show(.wrongLabel(.address(Self.address(3)), room: "C")))
  }

  @Test("a device on record stays the room's when the label with its name is read")
  func recordedAndNamed() {
    let rooms = [Self.room("A", .espIDF, named: "PROV_1"), Self.room("B", .espIDF)]
    let building = Building(id: "b", name: "B", rooms: rooms, families: FamilyCatalogue.builtIn)
    var walk = Walk(rooms, of: building, provisions: true) { room in
      room.id == "a" ? Self.address(1) : nil
    }
    Self.read(#"{"name":"PROV_1","pop":"x","transport":"ble"}"#, in: &walk, isDone: false)
    _ = walk.read("s")
    #expect(walk.current?.name == "B")
    #expect(walk.read(".", nearest: Self.address(1)) == .show(.nothingToTake), "it is A's")
  }

  @Test("a room that needs the secrets on a label takes only a label with its device's name")
  func needsLabel() {
    var walk = Self.walk(
      [Self.room("A", .espIDF), Self.room("B", .espIDF, named: "PROV_2")], unlabelled: ["a"])
    #expect(walk.read(".", nearest: Self.address(5)) == .show(.needsLabel))
    #expect(walk.read("C47C8D000005") == .show(.needsLabel))
    func label(_ name: String, _ pop: String) -> String {
      #"{"name":"\#(name)","pop":"\#(pop)","transport":"ble"}"#
    }
    func saving(_ name: String, _ pop: String) -> Walk.Action {
      Self.saving(DeviceLabel(.name(name), secrets: ["pop": Secret(pop)]), for: "A")
    }
    #expect(walk.read(label("PROV_2", "x")) == .show(.wrongLabel(.name("PROV_2"), room: "B")))
    #expect(walk.read(label("PROV_1", "x")) == saving("PROV_1", "x"))
    walk.saved()
    walk.ended(isDone: false)
    #expect(walk.read("l") == .locate(.name("PROV_1")))
    #expect(walk.read(label("PROV_1", "y")) == saving("PROV_1", "y"), "the secret was another label's")
    #expect(walk.read(label("PROV_3", "x")) == .show(.otherDevice(.name("PROV_3"), has: .name("PROV_1"))))
    walk.ended(isDone: true)
    #expect(walk.read(".") == .provision("b"), "the manifest has its device")
  }

  @Test("a failed room stays current until it is retried, undone or skipped")
  func failed() {
    var walk = Self.walk()
    Self.read("C47C8D000001", in: &walk, isDone: false)
    #expect(walk.current?.name == "A" && walk.current?.isDone == false)
    #expect(walk.read("r") == .provision("a"))
    #expect(walk.read("u") == .undo("A"))
    walk.undone()
    #expect(walk.current?.device == nil && walk.current?.isDone == nil)
    _ = walk.read("s")
    #expect(walk.current?.name == "B" && walk.left.count == 4)
  }

  @Test("undo reverts the steps of this walk one by one, up to the last room that is done")
  func undo() {
    var walk = Self.walk()
    #expect(walk.read("u") == .show(.nothingToUndo))
    Self.read("C47C8D000001", in: &walk, isDone: false)
    _ = walk.read("s")
    #expect(walk.read("u") == .show(.back("A")))
    #expect(walk.current?.name == "A" && walk.current?.isDone == false)
    #expect(walk.read("u") == .undo("A"))
    walk.undone()
    #expect(walk.current?.name == "A", "the room is current again")
    Self.read("C47C8D000001", in: &walk, isDone: true)
    #expect(walk.read("u") == .show(.nothingToUndo), "a room that is done keeps its address")
  }

  @Test("`l` locates the room's device or the proposed one, and `q` or the last room ends the walk")
  func keys() {
    var walk = Self.walk()
    #expect(walk.read("l") == .show(.nothingToTake))
    #expect(walk.read("l", nearest: Self.address(5)) == .locate(.address(Self.address(5))))
    #expect(walk.read("?") == .show(.help(provisions: true)))
    var other = walk
    #expect(other.read("q") == .nothing && other.prompt == .nothing)
    for _ in 0..<4 { _ = walk.read("s") }
    #expect(walk.prompt == .nothing && walk.read(".") == .nothing)
  }

  @Test("`i` has the room's device or the proposed one blink, in a family that can")
  func identify() {
    var walk = Self.walk([
      Self.room("A", .improvWiFi), Self.room("B", .improvWiFi, 2), Self.room("C", .roboSensor, 3),
    ])
    #expect(walk.read("i") == .show(.nothingToTake))
    #expect(walk.read("i", nearest: Self.address(5)) == .identify(.address(Self.address(5))))
    _ = walk.read("s")
    #expect(walk.read("i", nearest: Self.address(5)) == .identify(.address(Self.address(2))))
    _ = walk.read("s")
    #expect(walk.read("i") == .show(.cannotIdentify))
  }

  @Test("a walk that only reads labels has no keys for provisioning, and Enter does nothing in it")
  func labelsOnly() {
    let rooms = [Self.room("A")]
    let building = Building(id: "b", name: "B", rooms: rooms, families: FamilyCatalogue.builtIn)
    var walk = Walk(rooms, of: building, provisions: false)
    #expect(walk.read(".", nearest: Self.address(5)) == .nothing)
    for key in ["r", "l", "i"] {
      #expect(walk.read(key, nearest: Self.address(5)) == .show(.badLabel(.noAddress(digits: nil))))
    }
  }

  @Test("no command key is a hexadecimal digit")
  func commandKeys() {
    for key in Walk.keys { #expect(!key.isHexDigit, "\(key)") }
  }
}
