import Families
import Model
import SampleFacts
import Testing

@Suite("room selectors") struct RoomSelectorTests {
  private static func room(
    _ id: RoomID, _ name: String, floor: String? = nil, tags: [String] = [], minor: Int? = nil
  ) -> Room {
    Room(
      id: id, name: name, floor: floor, tags: tags, family: .roboSensor,
      settings: minor.map { [.minor: .integer($0)] } ?? [:], timeouts: StageTimeouts(), retries: 0)
  }

  private static let rooms = [
    room("room-301", "Room 301", floor: "3", tags: ["suite", "Street Side"], minor: 301),
    room("room-302", "Room 302", floor: "3", minor: 302),
    room("lobby", "Lobby", floor: "Ground", tags: ["public"], minor: 1),
    room("honeymoon-suite", "Honeymoon Suite", floor: "12", tags: ["suite"], minor: 332),
    room("cafe", "Caf\u{E9}", minor: 65_535),
    room("boat-shed", "Boat Shed"),
  ]

  @Test(
    "a selector is an id, a name, a pattern, a tag, a floor or minors; only ids are case-sensitive",
    arguments: [
      ("lobby", ["lobby"]), ("LOBBY", ["lobby"]), ("room-301", ["room-301"]), ("ROOM-301", []),
      ("Room 301", ["room-301"]), ("Room 30", []), ("CAFE\u{301}", ["cafe"]),
      ("Room 3*", ["room-301", "room-302"]), ("room 3*", ["room-301", "room-302"]),
      ("room-30?", ["room-301", "room-302"]), ("Room ?", []), ("Room 301*", ["room-301"]),
      ("*suite", ["honeymoon-suite"]), ("*-suite", ["honeymoon-suite"]), ("*o*b*", ["lobby"]),
      ("caf?", ["cafe"]), ("?", []), ("Room [3]*", []),
      ("*", ["room-301", "room-302", "lobby", "honeymoon-suite", "cafe", "boat-shed"]),
      ("tag:suite", ["room-301", "honeymoon-suite"]), ("tag:SUITE", ["room-301", "honeymoon-suite"]),
      ("Tag:street side", ["room-301"]), ("tag:suit", []), ("tag:", []), ("tag:*", []),
      ("floor:3", ["room-301", "room-302"]), ("floor:ground", ["lobby"]), ("floor:1", []), ("floor:", []),
      ("minor:301", ["room-301"]), ("minor:301-301", ["room-301"]),
      ("minor:301-332", ["room-301", "room-302", "honeymoon-suite"]),
      ("minor:0..1", ["lobby"]), ("minor: 301 – 302", ["room-301", "room-302"]), ("minor:303-331", []),
      ("MINOR:65535", ["cafe"]), ("suite", []), ("3", []), ("", []),
    ])
  func selected(_ text: String, _ expected: [RoomID]) throws {
    let selector = try RoomSelector(text, counted: FamilyCatalogue.builtIn.all.compactMap(\.countedSetting))
    #expect(Self.rooms.filter(selector.matches).map(\.id) == expected)
  }

  @Test(
    "an invalid range of minors is rejected",
    arguments: [
      "minor:", "minor:x", "minor:332-301", "minor:65536", "minor:1-65536", "minor:-1", "minor:1-",
      "minor:1-2-3",
      "minor:1,2", "minor:0x10", "minor:*", "minor:1.5",
    ])
  func noRange(_ text: String) {
    #expect(throws: RoomSelector.UnreadableRange.self) {
      try RoomSelector(text, counted: FamilyCatalogue.builtIn.all.compactMap(\.countedSetting))
    }
  }

  @Test(
    "the distance of a pattern to a name grows with the differences",
    arguments: [
      ("Rom 3*", "Room 301", 1), ("Room 4*", "Room 301", 1), ("*-siute", "honeymoon-suite", 2),
      ("xoom 4*", "Room 301", 2), ("?oom 30?", "Room 301", 0), ("x*", "", 1), ("*", "", 0),
      ("a*b*c", "xxx", 3),
    ])
  func distance(_ pattern: String, _ name: String, _ expected: Int) throws {
    let pattern = try #require(NamePattern(pattern))
    #expect(pattern.distance(to: name) == expected)
    #expect(pattern.distance(to: name, within: expected) == expected)
    #expect(pattern.distance(to: name, within: expected - 1) > expected - 1)
    #expect(pattern.matches(name) == (expected == 0))
  }
}
