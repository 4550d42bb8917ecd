import Bluetooth
import Families
import Model
import Testing

@testable import Application

/// A session of several persons, as a script: `who does what -> the effect, or the message`. An effect is recorded as done.
@Suite("A walk of several persons")
struct WalkPeopleTests {
  struct Script: CustomTestStringConvertible {
    let name: String
    var provisions = true
    /// The last digits of the addresses on air; nil without a scan.
    var onAir: Set<UInt64>?
    let lines: [String]

    var testDescription: String { name }
  }

  private static let scripts = [
    Script(
      name: "each is at a room of their own, and a room at which another is is refused",
      lines: [
        "Anna go A -> -", "Bob go A -> Anna is at A", "Bob go B -> -", "Anna label 1 -> save A=1",
        "Bob label 2 -> save B=2", "Anna go B -> Bob is at B", "Anna ends A done -> -",
        "Bob ends B failed -> -",
        "Bob go A -> -", "Anna go B -> -", "Anna start -> provision B",
      ]),
    Script(
      name: "a person who leaves leaves the room to others",
      lines: ["Anna go A -> -", "Anna leave -> -", "Bob go A -> -", "Anna go A -> Bob is at A"]),
    Script(
      name: "two persons of one name are two", lines: ["Anna go A -> -", "Anna2 go A -> Anna is at A"]),
    Script(
      name: "a device goes to one room only",
      lines: [
        "Anna go A -> -", "Bob go B -> -", "Anna label 1 -> save A=1",
        "Bob label 1 -> Wrong label: C4:7C:8D:00:00:01 is already the device of A",
        "Bob label 2 -> save B=2",
      ]),
    Script(
      name: "undo takes back one's own last step, in whatever order",
      lines: [
        "Anna go A -> -", "Bob go B -> -", "Anna label 1 -> save A=1", "Bob label 2 -> save B=2",
        "Anna undo -> undo A", "Anna undo -> Nothing to undo: no label was read, or its room is done",
        "Bob label 1 -> Wrong label: C4:7C:8D:00:00:01. This room has C4:7C:8D:00:00:02; press u to undo that, or use roboprov room replace",
        "Bob undo -> undo B", "Bob label 1 -> save B=1", "Anna label 2 -> save A=2",
      ]),
    Script(
      name: "undo goes back through the rooms of a person, but not into one where another is",
      lines: [
        "Anna go A -> -", "Anna label 1 -> save A=1", "Anna go B -> -", "Anna label 2 -> save B=2",
        "Bob go A -> -", "Anna undo -> undo B", "Anna undo -> Bob is at A", "Bob leave -> -",
        "Anna undo -> undo A",
      ]),
    Script(
      name: "what another has changed since is not taken back",
      provisions: false,
      lines: [
        "Anna go A -> -", "Anna label 1 -> save A=1", "Bob go A -> -", "Bob label 5 -> save A=5",
        "Anna undo -> Not undone: A was changed after that by Bob", "Bob undo -> undo A", "Bob leave -> -",
        "Anna undo -> undo A",
      ]),
    Script(
      name: "a room that is done ends the undo up to it, and no further",
      lines: [
        "Anna go A -> -", "Anna label 1 -> save A=1", "Anna go B -> -", "Anna label 2 -> save B=2",
        "Anna ends A done -> -", "Anna undo -> undo B",
        "Anna undo -> Nothing to undo: no label was read, or its room is done",
      ]),
    Script(
      name: "another's room that is done is not taken back by who labelled it",
      lines: [
        "Anna go A -> -", "Anna label 1 -> save A=1", "Anna ends A failed -> -", "Anna leave -> -",
        "Bob go A -> -", "Bob start -> provision A", "Bob ends A done -> -",
        "Anna undo -> Not undone: A was changed after that by Anna",
      ]),
    Script(
      name: "a skipped room is left, and comes back with undo",
      lines: ["Anna go A -> -", "Anna skip -> – A skipped", "Bob go A -> -", "Anna undo -> Bob is at A"]),
    Script(
      name: "an offset is asked of the person whose label showed it, and applies to all",
      provisions: false, onAir: [0x11, 0x21, 0x31],
      lines: [
        "Anna go A -> -", "Anna label 10 -> save A=10", "Bob go B -> -", "Bob label 20 -> save B=20",
        "Bob go D -> -", "Anna go C -> -", "Anna label 30 -> save C=30", "Bob label 40 -> save D=40",
        "Anna yes -> save D=41 C=31 B=21 A=11", "Bob undo -> Not undone: D was changed after that by Anna",
        "Anna undo -> undo D", "Bob undo -> undo D", "Bob undo -> undo B",
      ]),
    Script(
      name: "an EUI-64 is asked of who gave it",
      lines: [
        "Anna go A -> -", "Bob go B -> -", "Anna text C47C8DFFFE000001 -> -",
        "Bob yes -> Not taken: this text has no address: scan the label, or type its 12 hex digits",
        "Anna yes -> save A=1",
      ]),
    Script(
      name: "only a device that was offered to this person for this room is bound",
      lines: [
        "Anna go A -> -", "Bob go B -> -", "Anna digits 0001 -> find 0001", "Anna offered 1 -> -",
        "Bob bind 1 -> Not taken: this device was not offered for this room; enter its label again",
        "Anna bind 2 -> Not taken: this device was not offered for this room; enter its label again",
        "Anna bind 1 -> Not taken: this device was not offered for this room; enter its label again",
        "Anna offered 1 -> -", "Anna go C -> -",
        "Anna bind 1 -> Not taken: this device was not offered for this room; enter its label again",
        "Anna offered 1 -> -", "Anna go C -> -", "Anna bind 1 -> save C=1",
      ]),
    Script(
      name: "a person at no room does nothing, and a room of no walk is refused",
      lines: ["Anna label 1 -> -", "Anna go X -> This room is not one of this session", "Anna skip -> -"]),
  ]

  private static func address(_ text: Substring) throws -> BluetoothAddress {
    BluetoothAddress(rawValue: 0xC47C_8D00_0000 + (try #require(UInt64(text, radix: 16))))
  }

  @Test("who does what", arguments: scripts)
  func script(_ script: Script) throws {
    let rooms = ["A", "B", "C", "D"].map { name in
      Room(
        id: RoomID(rawValue: name), name: name, family: .roboSensor, settings: [:],
        timeouts: StageTimeouts(), retries: 0)
    }
    let building = Building(id: "b", name: "B", rooms: rooms, families: .builtIn)
    var walk = Walk(rooms, of: building, provisions: script.provisions)
    walk.leave(by: .terminal)
    for line in script.lines {
      let parts = line.split(separator: " -> ", maxSplits: 1)
      let words = parts[0].split(separator: " ")
      let done = try Self.does(words, in: &walk, onAir: script.onAir)
      #expect(done == parts[1], "\(line)")
    }
  }

  @Test(
    "a room is skipped until that is taken back, or something is done there",
    arguments: ["undo", "label", "run"])
  func skipped(_ next: String) {
    let room = Room(
      id: "a", name: "A", family: .roboSensor, settings: [:], timeouts: StageTimeouts(), retries: 0)
    var walk = Walk(
      [room], of: Building(id: "b", name: "B", rooms: [room], families: .builtIn), provisions: true)
    walk.leave(by: .terminal)
    let (anna, bob) = (Walk.Person(phone: 1, name: "Anna"), Walk.Person(phone: 2, name: "Bob"))
    #expect(walk.go(to: "a", by: anna) == nil && !walk.all[0].isSkipped)
    _ = walk.enter(.skip, by: anna)
    #expect(walk.all[0].isSkipped)
    if next == "undo" {
      _ = walk.enter(.undo, by: anna)
    } else {
      #expect(walk.go(to: "a", by: bob) == nil)
      #expect(walk.all[0].isSkipped, "to look at it is not to do something")
      if next == "label" {
        _ = walk.enter(.label("C4:7C:8D:00:00:01"), by: bob)
        walk.saved(by: bob)
      } else {
        walk.ended("a", isDone: false, by: bob)
      }
    }
    #expect(!walk.all[0].isSkipped)
  }

  private static func does(
    _ words: [Substring], in walk: inout Walk, onAir: Set<UInt64>?
  ) throws -> String {
    let person = Walk.Person(
      phone: ["Anna": 1, "Bob": 2][words[0]] ?? 3, name: words[0].filter(\.isLetter))
    let entry: Walk.Entry
    switch words[1] {
    case "go": return walk.go(to: RoomID(rawValue: String(words[2])), by: person)?.words ?? "-"
    case "leave":
      walk.leave(by: person)
      return "-"
    case "ends":
      walk.ended(RoomID(rawValue: String(words[2])), isDone: words[3] == "done", by: person)
      return "-"
    case "offered":
      let device = try address(words[2])
      walk.offer(
        [Walk.Offer(device: device, label: DeviceLabel(.address(device)), offset: 0, name: nil, rssi: nil)],
        to: person)
      return "-"
    case "label": entry = .label(try address(words[2]).description)
    case "text": entry = .label(String(words[2]))
    case "digits": entry = .digits(String(words[2]))
    case "bind": entry = .device(try address(words[2]))
    case "start": entry = .start
    case "skip": entry = .skip
    case "undo": entry = .undo
    case "yes": entry = .answer(true)
    default: throw CancellationError()
    }
    switch walk.enter(entry, by: person) {
    case .nothing: return "-"
    case .show(let message): return message.words
    case .save(let assignments):
      walk.saved(
        by: person,
        onAir.map { onAir in { device in onAir.contains((device.address?.rawValue ?? 0) & 0xFFFF) } })
      let pairs = assignments.map {
        "\($0.name)=\(String(($0.device.address?.rawValue ?? 0) & 0xFFFF, radix: 16))"
      }
      return "save " + pairs.joined(separator: " ")
    case .provision(let room): return "provision \(room)"
    case .undo(let name):
      walk.undone(by: person)
      return "undo \(name)"
    case .find(let digits, _): return "find \(digits)"
    case .locate, .identify: return "?"
    }
  }
}
