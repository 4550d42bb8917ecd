import CSV
import Model
import Source
import YAML

/// A room before it is decoded: its keys and their origin.
struct RoomDraft {
  /// The room's own keys.
  var fields: Fields
  /// The device family; nil when the manifest names an unknown one, which has been reported.
  var profile: Shared<DeviceFamily>?
  /// The index of the room's scope in `ManifestDecoder.scopes`.
  var scope: Int
  /// Whether the room comes from a range and no later entry changed it.
  var isOfRange: Bool
  var origin: RoomOrigin
}

/// The place where a room is written.
struct RoomOrigin: Hashable {
  /// The list entry or table row; the last one if there are several.
  var entry: SourceRange
  /// The index of the list or table in `ManifestDecoder.lists`.
  var list: Int
  /// The entry of the range that gives the room, even if a later entry changed it; nil for other rooms.
  var range: SourceRange?
}

enum RoomList: Hashable {
  case entries
  case rows(TableLayout)
}

/// The facts about a table that an edit needs.
struct TableLayout: Hashable {
  /// The number of the table's text.
  var text: Int
  var delimiter: CSVTable.Delimiter
  /// The columns, from 0, by the keys that they give.
  var columns: [String: Int]
}

/// The rooms of a manifest in its order, with ranges expanded.
struct RoomDrafts {
  /// The maximum number of rooms of a building.
  static let maximumCount = 200_000

  private(set) var all: [RoomDraft] = []
  /// Whether rooms beyond the maximum were left out.
  var hasOverflowed = false
  /// The indices of rooms from ranges, by name.
  private var ofRanges: [String: Int] = [:]

  /// The room of a range with this name, while a later entry may still change it.
  func ofRange(named name: String) -> RoomDraft? { ofRanges[name].map { all[$0] } }

  /// Adds a room. If a range gave a room of this name, the entry overrides its keys instead.
  mutating func add(_ draft: RoomDraft, named name: String?) {
    guard let name, let index = ofRanges[name] else {
      if draft.isOfRange, let name { ofRanges[name] = all.count }
      all.append(draft)
      return
    }
    let range = all[index].origin.range
    all[index] = RoomDraft(
      fields: draft.fields.over(all[index].fields), profile: draft.profile, scope: all[index].scope,
      isOfRange: draft.isOfRange, origin: draft.origin)
    if !draft.isOfRange { all[index].origin.range = range }
    // A further entry of this name is a second room.
    if !draft.isOfRange { ofRanges[name] = nil }
  }
}

extension ManifestDecoder {
  /// Decodes the rooms of the whole manifest, in its order.
  mutating func rooms(
    _ fields: Fields, networks: [String: Network], _ policy: Building.Assignment?
  ) -> [Room] {
    var drafts = RoomDrafts()
    let before = findings.count
    guard Vocabulary.roomLists.contains(where: { fields[$0] != nil }) else {
      error(
        .noRooms, "the manifest has no `rooms`", at: fields.head,
        advice: "list them: rooms:, then `- room: …` for each")
      return []
    }
    collect(fields, in: 0, networks, &drafts)
    if drafts.all.isEmpty, findings.count == before {
      error(
        .noRooms, "the manifest lists no room", at: fields.head, advice: "begin each room with `- room: …`")
    }
    // Findings about 200,000 rooms are not useful.
    if drafts.hasOverflowed { return [] }
    self.drafts = drafts.all
    var claims = RoomClaims(of: drafts.all.count)
    return drafts.all.compactMap { draft in
      let kind = RoomKind(
        profile: draft.profile, isRegistered: isRegistered(draft.fields, profile: draft.profile))
      note(kind, in: draft.scope)
      return room(draft, of: kind, networks: networks, policy, claims: &claims)
    }
  }

  private mutating func note(_ kind: RoomKind, in number: Int) {
    var number: Int? = number
    // A kind that is known in a scope is also known in all scopes around it.
    while let scope = number, scopes[scope].add(kind) { number = scopes[scope].outer }
  }

  mutating func collect(
    _ fields: Fields, in scope: Int, _ networks: [String: Network], _ drafts: inout RoomDrafts
  ) {
    for entry in fields.all {
      switch entry.key {
      case "rooms":
        let nodes = list(entry, "begin each room with `- room: …`")
        lists.append(.entries)
        for node in nodes { add(node, in: scope, &drafts) }
      case "rooms_from":
        if let items = entry.value.items, items.isEmpty {
          error(
            .noRooms, "`rooms_from` names no table", at: entry.value.range,
            advice: "name one: rooms_from: rooms.csv")
        }
        for node in entry.value.items ?? [entry.value] {
          guard let (rows, layout) = table(node) else { continue }
          lists.append(.rows(layout))
          for row in rows { add(row, in: scope, &drafts) }
        }
      case "floors":
        for node in list(entry, "begin each floor with `- floor: …`") {
          self.scope(node, "floor", in: scope, networks, &drafts)
        }
      case "groups":
        for node in list(entry, "begin each group with `- group: …`") {
          self.scope(node, "group", in: scope, networks, &drafts)
        }
      default: break
      }
    }
  }

  private mutating func list(_ entry: YAMLNode.Entry, _ advice: String) -> [YAMLNode] {
    let nothing = "`\(entry.key)` lists no \(entry.key.dropLast())"
    guard let items = entry.value.items else {
      if entry.value.isNull {
        error(.noRooms, nothing, at: entry.keyRange, advice: advice)
      } else {
        let isJoined = entry.value.entries?.contains { $0.key.hasPrefix("-") } == true
        error(
          .wrongStructure, "`\(entry.key)` is a list", at: entry.keyRange,
          advice: isJoined ? "a space is missing after `-`: \(advice)" : advice)
      }
      return []
    }
    if items.isEmpty {
      error(.noRooms, nothing, at: entry.value.range, advice: advice)
    }
    return items
  }

  /// Adds the rooms of an entry or a row in the last of `lists`.
  private mutating func add(_ node: YAMLNode, in scope: Int, _ drafts: inout RoomDrafts) {
    let name = node.entries?.first { $0.key == "room" }?.value.text
    let base = name.flatMap { drafts.ofRange(named: $0) }
    // The profile decides which keys a room can have.
    let written = node.entries?.first { $0.key == "profile" }?.value
    let chosen =
      written.map { ChosenProfile(family: self.profile($0)) }
      ?? base.map { ChosenProfile(family: $0.profile) }
    let profile = (chosen ?? scopes[scope].defaults.profile)?.family
    guard let fields = roomFields(node, profile) else { return }
    let draft = RoomDraft(
      fields: fields, profile: profile, scope: scope, isOfRange: false,
      origin: RoomOrigin(entry: node.range, list: lists.count - 1))
    var rooms = [(name: name, draft: draft)]
    if let name, RoomRange.isMeant(by: name), let node = fields["room"] {
      let range = node.range
      show(range)
      if isInTypographicQuotes(node, "room") { return }
      rooms = self.rooms(of: draft, named: name, at: range).map { ($0.name, $0.draft) }
    }
    guard drafts.all.count + rooms.count <= RoomDrafts.maximumCount else {
      drafts.hasOverflowed = true
      return error(
        .tooManyRooms, "more than \(RoomDrafts.maximumCount) rooms", at: node.range,
        advice: "describe them as several buildings")
    }
    for room in rooms { drafts.add(room.draft, named: room.name) }
  }

  private mutating func roomFields(_ node: YAMLNode, _ profile: Shared<DeviceFamily>?) -> Fields? {
    let families = families
    return fields(
      of: node, "a room", known: vocabulary.keys(ofRoomsWith: profile?.value.id),
      elsewhere: { key in
        if Vocabulary.building.contains(key) {
          return (.misplacedKey, "`\(key)` cannot be in a room", "it belongs at the top of the manifest")
        }
        let takers = families.all.filter {
          Vocabulary.settingKeys(of: $0).contains(key)
        }
        guard let profile = profile?.value, !takers.isEmpty else { return nil }
        let isExpected = Vocabulary.beacon.contains(key) && profile[.beaconUUID]?.isWritten == false
        return (
          .unsupportedKey, "\(profile.withArticle) takes no `\(key)`",
          isExpected
            ? "its firmware decides it. If it is not the factory's, describe it: beacon: { \(key): … }"
            : "\(takers.listed) does: check `profile`, or leave `\(key)` out"
        )
      })
  }
}
