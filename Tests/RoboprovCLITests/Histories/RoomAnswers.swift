import Foundation
import FoundationXML

/// What an output says about each room of a building.
struct RoomAnswers: Hashable, CustomStringConvertible {
  struct Answer: Hashable {
    var id: String
    var state: String
  }

  var rooms: [Answer]

  var states: [String: String] {
    Dictionary(rooms.map { ($0.id, $0.state) }, uniquingKeysWith: { "\($0)+\($1)" })
  }

  var description: String { rooms.map { "\($0.id) \($0.state)" }.joined(separator: ", ") }

  /// The rooms of which two outputs say different things.
  func differences(from other: RoomAnswers) -> [String] {
    let (mine, others) = (states, other.states)
    return Set(mine.keys).union(others.keys).filter { mine[$0] != others[$0] }.sorted()
  }
}

/// `building.json`, or what `status --output json` prints.
struct BuildingAnswer {
  var json: JSON
  var status: Int32? = nil

  var rooms: [JSON] { json["rooms"].items }
  var answers: RoomAnswers {
    RoomAnswers(rooms: rooms.map { .init(id: $0["id"].text ?? "?", state: $0["state"].text ?? "?") })
  }
  var isComplete: Bool { json["summary"]["complete"].flag ?? false }
  var manifest: String? { json["manifest"]["sha256"].text }
  var runs: Set<String> { Set(json["runs"].items.compactMap { $0["id"].text }) }

  func room(_ id: String) -> JSON? { rooms.first { $0["id"].text == id } }
  func state(_ id: String) -> String? { room(id)?["state"].text }
  /// The rooms of the manifest that are in service: those that count as done or not done.
  var counted: [JSON] {
    rooms.filter { $0["in_manifest"].flag == true && $0["state"].text != StateName.retired }
  }
  func count(_ state: String) -> Int { counted.count { $0["state"].text == state } }

  /// Whether something is left to do in a room.
  static func isOpen(_ room: JSON) -> Bool { room["advice"].text != nil }
}

/// The states whose meaning the checks need. The other names come from the outputs.
enum StateName {
  static let done = "done"
  static let accepted = "accepted"
  static let retired = "retired"
  static let untried = "untried"
}

extension RoomAnswers {
  /// The states in `building.csv`.
  init(csv text: String) {
    var rows: [[String]] = [[]]
    var cell = ""
    var isQuoted = false
    for character in text.drop(while: { $0 == "\u{FEFF}" }) {
      switch character {
      case "\"": isQuoted.toggle()
      case "," where !isQuoted:
        rows[rows.count - 1].append(cell)
        cell = ""
      case "\r\n" where !isQuoted, "\n" where !isQuoted:
        rows[rows.count - 1].append(cell)
        cell = ""
        rows.append([])
      default: cell.append(character)
      }
    }
    let header = rows[0]
    rooms = rows.dropFirst().filter { $0.count == header.count }.map { row in
      let cells = Dictionary(uniqueKeysWithValues: zip(header, row))
      return Answer(id: cells["id"] ?? "?", state: cells["state"] ?? "?")
    }
  }

  /// The states in `building.html`, whose rooms have the order of `building.json`.
  init(html text: String, ids: [String]) {
    let states = text.matches(of: /<tbody id="room-[0-9]+" data-state="([a-z_]+)">/).map { String($0.1) }
    rooms = states.enumerated().map {
      Answer(id: ids.indices.contains($0.offset) ? ids[$0.offset] : "?", state: $0.element)
    }
  }
}

/// What `junit.xml` says: whether each room passed, was skipped or failed.
struct JUnitAnswer {
  /// `passed`, `skipped` or `failed`, by room id.
  var results: [String: String] = [:]
  var counts: [String: Int] = [:]

  init?(_ text: String) {
    guard let root = try? XMLDocument(xmlString: text).rootElement(),
      let suite = root.elements(forName: "testsuite").first
    else { return nil }
    for name in ["tests", "failures", "errors", "skipped"] {
      counts[name] = suite.attribute(forName: name)?.stringValue.flatMap { Int($0) }
    }
    for test in suite.elements(forName: "testcase") {
      let name = test.attribute(forName: "name")?.stringValue ?? ""
      let id = name.split(separator: "(").last.map { String($0.dropLast()) } ?? "?"
      let has = { (kind: String) in !test.elements(forName: kind).isEmpty }
      results[id] = has("failure") || has("error") ? "failed" : has("skipped") ? "skipped" : "passed"
    }
  }
}
