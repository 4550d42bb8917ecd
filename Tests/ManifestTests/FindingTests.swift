import Families
import Manifest
import MarkedText
import Model
import Testing
import Source
import YAML

/// An invalid manifest with the expected finding; `1️⃣` marks its place.
struct Wrong: Sendable, CustomTestStringConvertible {
  let text: String
  let message: String
  var advice: String?
  /// The line of the first of two duplicates; nil for other errors.
  var noteLine: Int?

  init(_ text: String, _ message: String, advice: String? = nil, noteLine: Int? = nil) {
    self.text = text
    self.message = message
    self.advice = advice
    self.noteLine = noteLine
  }

  /// A manifest that is valid except for one room.
  static func room(_ keys: String, _ message: String, advice: String? = nil) -> Wrong {
    Wrong(
      "building: B\nmatch: any\nwifi: { guests: { ssid: G } }\nrooms:\n  - { \(keys) }\n", message,
      advice: advice)
  }

  /// A manifest that is valid except for a key at the top.
  static func top(_ keys: String, _ message: String, advice: String? = nil) -> Wrong {
    Wrong("building: B\n\(keys)\nmatch: any\nrooms: [{ room: R, minor: 1 }]\n", message, advice: advice)
  }

  var testDescription: String { message }
}

/// Expects exactly the one error, at its place; warnings do not matter.
func expect(_ wrong: Wrong) throws {
  let marked = MarkedText(wrong.text)
  let reading = readManifest(marked.bytes, file: "b.yaml", families: .builtIn)
  #expect(reading.building == nil)
  let finding = try #require(
    reading.diagnostics.first { $0.message.contains(wrong.message) }, "\(reading.rendered)")
  #expect(finding.severity == .error)
  #expect(finding.range.start == marked[1])
  if let advice = wrong.advice { #expect(finding.advice?.contains(advice) == true, "\(finding)") }
  if let line = wrong.noteLine { #expect(finding.notes.map(\.range.start.line) == [line]) }
  #expect(reading.diagnostics.count { $0.severity == .error } == 1, "\(reading.rendered)")
}

@Suite("Findings about a manifest")
struct FindingTests {
  @Test(
    "an error is reported at its place, with advice",
    arguments: [
      Wrong("1️⃣", "the manifest is empty", advice: "`building`"),
      Wrong("1️⃣# only a comment\n", "the manifest is empty"),
      Wrong("1️⃣- a\n", "the manifest is a mapping"),
      Wrong("building: B\n1️⃣---\nrooms: []\n", "a second document"),
      .top("version: 1️⃣2", "reads manifests of version 1"),
      .top("1️⃣assign: any", "unknown key", advice: "write `match`"),
      .top("1️⃣Rooms: []", "unknown key", advice: "write `rooms`"),
      .top("retries: 1\ndefaults: { 1️⃣retries: 2 }", "at the top of the manifest, too"),
      .top(
        "adapters: { 1️⃣east: { slots: 7 } }", "neither the name nor the address of an adapter",
        advice: "`address`"),
      .top("adapters: { east: { address: 1️⃣hci0 } }", "not the address of an adapter"),
      .top(
        "adapters: { hci0: { 1️⃣address: 00:1A:7D:DA:71:13 } }",
        "the name of this entry identifies the adapter already"),
      .top(
        "adapters: { a: { address: 00:1A:7D:DA:71:13 }, 1️⃣b: { address: 00:1A:7D:DA:71:13 } }",
        "this adapter is described already", advice: "join the two"),
      .top("adapters: 1️⃣[hci0]", "`adapters` is a mapping", advice: "adapters: { hci0: { slots: 7 } }"),
      .top("adapters: { 1️⃣usb0: { slots: 7 } }", "neither the name nor the address of an adapter"),
      .top("adapters: { hci0: { slots: 1️⃣21 } }", "`slots` is 21, outside of 1…20"),
      .top("adapters: { hci0: { 1️⃣slot: 2 } }", "unknown key", advice: "`slots`"),
      .top("adapters: { 1️⃣hci0: {} }", "this adapter has no keys"),
      .top("adapters: { lift: { address: 1️⃣floor-2/00-1A-7D-DA-71-13 } }", "no host of this name"),
      .top("hosts: 1️⃣[gw3]", "`hosts` is a mapping", advice: "floor-3"),
      .top("hosts: { 1️⃣Floor 3: { ssh: gw3 } }", "cannot be the name of a host", advice: "floor-3"),
      .top("hosts: { 1️⃣hci1: { ssh: gw3 } }", "cannot be the name of a host"),
      .top("hosts: { 1️⃣001a7dda7113: { ssh: gw3 } }", "cannot be the name of a host"),
      .top("hosts: { 1️⃣floor-3: { adapters: hci0 } }", "this host has no `ssh`", advice: "pi@gw3"),
      .top("hosts: { floor-3: { ssh: 1️⃣-oProxyCommand=evil } }", "not a destination", advice: "~/.ssh/config"),
      .top("hosts: { floor-3: { ssh: 1️⃣\"gw3 reboot\" } }", "not a destination"),
      .top(
        "hosts: { floor-3: { ssh: 1️⃣\"pi@gw3;reboot\" } }", "not a destination",
        advice: "`Host` in ~/.ssh/config"),
      .top("hosts: { floor-3: { ssh: 1️⃣\"$(reboot)@gw3\" } }", "not a destination"),
      .top("hosts: { floor-3: { ssh: gw3, 1️⃣port: 22 } }", "unknown key", advice: "ssh, adapters"),
      .top("hosts: { floor-3: { ssh: gw3, adapters: [1️⃣usb0] } }", "neither the name nor the address"),
      .top("hosts: { floor-3: { ssh: gw3, adapters: 1️⃣floor-3/hci0 } }", "neither the name nor the address"),
      .top(
        "hosts: { a: { ssh: gw3 }, b: { ssh: 1️⃣gw3 } }", "has a name already", advice: "leave one of them out"),
      .top(
        "hosts: { floor-3: { ssh: gw3 } }\nadapters: { 1️⃣floor-2/hci0: { slots: 7 } }",
        "no host of this name", advice: "did you mean `floor-3`?"),
      .top(
        "hosts: { lift: { ssh: gw3 } }\nadapters: { 1️⃣lift: { address: 00:1A:7D:DA:71:13 } }",
        "a host has this name"),
      .room("room: R, minor: 1, near: 1️⃣floor-3/hci0", "no host of this name", advice: "add it there"),
      .room("room: R, minor: 1, near: 1️⃣floor-3", "neither the name nor the address"),
      .room("room: R, minor: 1, near: 1️⃣lobby", "neither the name nor the address", advice: "hci0"),
      .room("room: R, minor: 1, near: 1️⃣hci256", "neither the name nor the address"),
      .room("room: R, minor: 1, near: 1️⃣/hci0", "neither the name nor the address"),
      .room("room: R, minor: 1, near: 1️⃣a/b/hci0", "neither the name nor the address"),
      .room("room: R, minor: 1, register: true, 1️⃣near: hci0", "a registered room takes no `near`"),
      .room("room: R, minor: 1, register: true, 1️⃣device: D", "a registered room takes no `device`"),
      .room("room: R, minor: 1, device: 1️⃣''", "`device` is empty"),
      .room(
        "room: R, minor: 1, proof: 1️⃣any_adress", "`proof` is neither", advice: "did you mean `any_address`?"),
      .room(
        "room: R, minor: 1, proof: 1️⃣true", "`proof` is neither", advice: "this firmware changes its address"),
      .room("room: R, minor: 1, proof: 1️⃣, retries: 1", "`proof` has no value"),
      .room(
        "room: R, minor: 1, 1️⃣prof: any_address", "unknown key in a room", advice: "did you mean `proof`?"),
      .room("room: R, minor: 1, register: true, 1️⃣proof: any_address", "a registered room takes no `proof`"),
      .room(
        "room: R, profile: firefly, address: C4:7C:8D:00:00:01, control: 1, value: 1, range: 1, 1️⃣proof: own_address",
        "a Firefly takes no `proof`", advice: "no beacon proves it"),
      .top("defaults: { proof: 1️⃣other }", "`proof` is neither"),
      .room("room: R, minor: 1, wifi_check: 1️⃣yes", "`wifi_check` is neither", advice: "did you mean `true`?"),
      .room(
        "room: R, minor: 1, wifi: { ssid: Quiet, hidden: 1️⃣perhaps }", "`hidden` is neither",
        advice: "does not send its name"),
      .room(
        "room: R, minor: 1, wifi_check: 1️⃣maybe", "`wifi_check` is neither",
        advice: "only written if it receives"),
      .room(
        "room: R, profile: firefly, address: C4:7C:8D:00:00:01, control: 1, value: 1, range: 1, 1️⃣wifi_check: true",
        "a Firefly takes no `wifi_check`", advice: "it cannot list networks"),
      .room(
        "room: R, minor: 1, register: true, 1️⃣wifi_check: true", "a registered room takes no `wifi_check`"),
      Wrong("1️⃣rooms: [{ room: R, minor: 1, address: C4:7C:8D:00:00:01 }]", "no `building`"),
      Wrong("1️⃣building: B", "no `rooms`"),
      Wrong(
        "building: 1️⃣\(String(repeating: "x", count: 101))\nmatch: any\nrooms: [{ room: R, minor: 1 }]\n",
        "`building` has 101 bytes"),
      .room("room: R, minor: 1, floor: 1️⃣\(String(repeating: "x", count: 65))", "`floor` has 65 bytes"),
      Wrong("building: B\nrooms: 1️⃣[]", "lists no room"),
      Wrong("building: B\n1️⃣rooms:\n", "lists no room"),
      Wrong("building: B\n1️⃣rooms: { room: R }\n", "`rooms` is a list"),
      Wrong("building: B\n1️⃣rooms: Lobby\n", "`rooms` is a list"),
      Wrong("building: B\ndefaults: { power: low }\nrooms: 1️⃣[]\n", "lists no room"),
      Wrong("building: B\nrooms_from: 1️⃣[]\n", "`rooms_from` names no table"),
      .top("1️⃣biulding: C", "unknown key in the manifest", advice: "did you mean `building`?"),
      .top("1️⃣colour: red", "unknown key in the manifest", advice: "building, id, include, families, wifi"),
      .top("1️⃣<<: { a: b }", "merge keys"),
      .top("id: 1️⃣Harbour House", "`id` has other characters", advice: "`harbour-house`"),
      .top("id: 1️⃣../../etc", "`id` has other characters"),
      .top("id: 1️⃣-a", "`id` has other characters"),
      .top("id: 1️⃣a-", "`id` has other characters"),
      .top("id:1️⃣", "`id` has no value"),
      .top("1️⃣building: C", "on line 1 already"),
      .top("defaults: { profile: 1️⃣robo-senser }", "unknown profile", advice: "did you mean `robo-sensor`?"),
      .top("defaults: { profile: 1️⃣toaster }", "unknown profile", advice: "known profiles: robo-sensor"),
      .top("defaults: { retries: 1️⃣21 }", "`retries` is 21, outside of 0…20"),
      .top("defaults: { retries: 1️⃣-1 }", "`retries` is -1, outside of 0…20"),
      .top("defaults: { retries: 1️⃣two }", "`retries` is not a whole number"),
      .top("defaults: { timeouts: { 1️⃣conect: 1s } }", "unknown key in `timeouts`", advice: "`connect`"),
      .top(
        "defaults: { timeouts: { connect: 1️⃣15 } }", "`connect` is not a duration", advice: "500ms, 15s or 2m"),
      .top("defaults: { timeouts: { connect: 1️⃣15 s } }", "`connect` is not a duration"),
      .top(
        "defaults: { timeouts: { connect: 1️⃣1.5s } }", "`connect` is not a duration", advice: "write 1500ms"),
      .top(
        "defaults: { timeouts: { connect: 1️⃣1.25s } }", "`connect` is not a duration", advice: "write 1250ms"),
      .top(
        "defaults: { timeouts: { connect: 1️⃣1.125s } }", "`connect` is not a duration", advice: "write 1125ms"),
      .top("defaults: { timeouts: { connect: 1️⃣2.0s } }", "`connect` is not a duration", advice: "write 2s"),
      .top("defaults: { timeouts: { connect: 1️⃣0.05m } }", "`connect` is not a duration", advice: "write 3s"),
      .top("defaults: { timeouts: { connect: 1️⃣0s } }", "above 0"),
      .top("defaults: { timeouts: { connect: 1️⃣-5s } }", "above 0"),
      .top("defaults: { timeouts: { connect: 1️⃣61m } }", "at most 60m"),
      .top(
        "defaults: { timeouts: { connect: 1️⃣99999999999999999999s } }",
        "`connect` must be above 0 and at most 60m"),
      .top(
        "defaults: { wifi: 1️⃣gests }\nwifi: { guests: { ssid: G } }", "no network",
        advice: "did you mean `guests`?"),
      .top("defaults: { wifi: 1️⃣gests }", "no network", advice: "describe it under `wifi:`"),
      .top("wifi: 1️⃣guests", "mapping of names to networks"),
      .top("wifi: { 1️⃣ssid: G, }", "is where a network's name is expected"),
      .top("wifi: { 1️⃣none: { ssid: G } }", "a network cannot have this name"),
      .top("wifi: { 1️⃣\"\": { ssid: G } }", "a network cannot have this name"),
      .top("wifi: { guests: { 1️⃣password: correct horse } }", "a network without `ssid`"),
      .top("wifi: { guests: { ssid: 1️⃣'' } }", "`ssid` is empty"),
      .top(
        "wifi: { guests: { ssid: 1️⃣\(String(repeating: "é", count: 17)) } }", "`ssid` has 34 bytes",
        advice: "UTF-8"),
      .top(
        "wifi: { guests: { ssid: G, password: 1️⃣seven77 } }", "`password` has 7 bytes", advice: "open network"),
      .top(
        "wifi: { guests: { ssid: G, password: 1️⃣\(String(repeating: "x", count: 64)) } }",
        "`password` has 64 bytes"),
      .top("wifi: { guests: { ssid: G, password: 1️⃣} }", "`password` has no value", advice: "open network"),
      .top(
        "wifi: { guests: { ssid: G, password: 1️⃣\"tab\\tinside\" } }",
        "`password` contains a control character"),
      .top(
        "wifi: { guests: { ssid: G, 1️⃣pasword: correct horse } }", "unknown key in a network",
        advice: "`password`"),
      .room("1️⃣minor: 1", "a room without a name"),
      .room("1️⃣room: R", "a room without `minor`"),
      .room("room: 1️⃣'', minor: 1", "`room` is empty"),
      .room("room: 1️⃣\(String(repeating: "x", count: 65)), minor: 1", "`room` has 65 bytes"),
      .room("room: 1️⃣\"a\\nb\", minor: 1", "`room` contains a control character"),
      .room("room: 1️⃣[a], minor: 1", "`room` takes a single value"),
      .room("room: 1️⃣你好, minor: 1", "no `id` can be made"),
      .room("room: R, minor: 1️⃣65536", "`minor` is 65536, outside of 0…65535"),
      .room(
        "room: R, minor: 1, timeouts: { connect: 1️⃣-9223372036854775808s }",
        "`connect` must be above 0 and at most 60m"),
      .room(
        "room: R, minor: 1, timeouts: { connect: 1️⃣9223372036854775808m }",
        "`connect` must be above 0 and at most 60m"),
      .room("room: R, minor: 1️⃣-1", "`minor` is -1, outside of 0…65535"),
      .room("room: R, minor: 1️⃣99999999999999999999999", "`minor` is outside of 0…65535"),
      .room("room: R, minor: 1️⃣1000000000000000000", "`minor` is outside of 0…65535"),
      .room("room: R, minor: 1, 1️⃣assign: any", "unknown key in a room", advice: "the keys of a room"),
      .room("room: R, minor: 1, 1️⃣wifi-check: true", "unknown key in a room", advice: "write `wifi_check`"),
      .room("room: R, minor: 1, 1️⃣Wifi Check: true", "unknown key in a room", advice: "write `wifi_check`"),
      .room("room: R, minor: 1️⃣0x10", "`minor` is not a whole number", advice: "decimal"),
      .room("room: R, minor: 1️⃣012", "`minor` is not a whole number", advice: "leading zeros"),
      .room("room: R, minor: 1️⃣1e3", "`minor` is not a whole number"),
      .room("room: R, minor: 1️⃣1_000", "`minor` is not a whole number"),
      .room("room: R, minor: 1️⃣yes", "`minor` is not a whole number"),
      .room("room: R, minor: 1️⃣٣", "`minor` is not a whole number"),
      .room("room: R, minor: 1️⃣password1", "`minor` is not a whole number", advice: "write only decimal"),
      .room(
        "room: R, minor: 1️⃣\"1\\x4F2\"", "`minor` is not a whole number", advice: "character 2 is the letter O"
      ),
      .room("room: R, minor: 1, address: 1️⃣C4:7C:8D:00:00", "`address` is not the address"),
      .room(
        "room: R, minor: 1, address: 1️⃣C4-7C-8D-FF-FE-00-00-01", "`address` is an EUI-64",
        advice: "is it the device with C4:7C:8D:00:00:01?"),
      .room(
        "room: R, minor: 1, address: 1️⃣C47C8DFFFF000001", "`address` is not the address",
        advice: "16 hex digits"),
      .room("room: R, minor: 1, address: 1️⃣00:00:00:00:00:00", "`address` is not the address"),
      .room("room: R, minor: 1, wifi: 1️⃣Guests", "no network", advice: "did you mean `guests`?"),
      .room("room: R, minor: 1, wifi: 1️⃣[a]", "`wifi` takes a network's name"),
      .room("room: R, minor: 1, wifi: 1️⃣, retries: 1", "`wifi` takes a network's name"),
      .room("room: R, minor: 1, wifi: { ssid: 1️⃣'' }", "`ssid` is empty"),
      .room("room: R, minor: 1, 1️⃣adress: C4:7C:8D:00:00:01", "unknown key in a room", advice: "`address`"),
      .room("room: R, minor: 1, 1️⃣sensor: humidity", "unknown key in a room", advice: "the keys of a room"),
      .room("room: R, minor: 1,1️⃣x", "unknown key in a room"),
      .room("room: R, minor: 1, 1️⃣foo:bar", "unknown key in a room"),
      .room("room: R, minor: 1, 1️⃣minor:102", "unknown key in a room"),
      .room("room: R, minor: 1, 1️⃣retries:1: 5", "unknown key in a room"),
      .room("room: R, minor: 1, 1️⃣\"retries:1\": ", "unknown key in a room"),
      .room("room: R, minor: 1, 1️⃣floor:01", "a space is missing after `floor:`"),
      // The first of two equal keys counts.
      .room("room: R, minor: 1, profile: robo-sensor, 1️⃣profile: firefly", "on line 5 already"),
      .room("room: R, 1️⃣room: \"R {1..\", minor: 1", "on line 5 already"),
      Wrong(
        "building: B\nrooms:\n  - 1️⃣room: R\n    minor: 1\n", "a room without `address`",
        advice: "`match: any`"),
      Wrong(
        "building: B\nmatch: any\nrooms:\n  - { room: R, minor: 5 }\n  - { room: S, minor: 1️⃣5 }\n",
        "another room has the minor 5, on line 4", noteLine: 4),
      Wrong(
        "building: B\nrooms:\n  - { room: R, minor: 1, address: C4:7C:8D:00:00:01 }\n"
          + "  - { room: S, minor: 2, address: 1️⃣c4-7c-8d-00-00-01 }\n",
        "another room has the address C4:7C:8D:00:00:01, on line 3", noteLine: 3),
      Wrong(
        "building: B\nmatch: any\nrooms:\n  - { room: R, minor: 1, id: a }\n  - { room: S, minor: 2, id: 1️⃣a }\n",
        "another room has this `id`, on line 4", noteLine: 4),
      Wrong(
        "building: B\nmatch: any\nrooms:\n  - { room: Room 1, minor: 1 }\n  - { room: 1️⃣room-1, minor: 2 }\n",
        "this room's `id`, `room-1`, made from its name", advice: "an `id` of its own", noteLine: 4),
      Wrong("building: B\nrooms:\n1️⃣\t- room: R\n", "a tab", advice: "spaces"),
      Wrong("building: 1️⃣\"B\nrooms: []\n", "never closed"),
    ])
  func refused(_ wrong: Wrong) throws {
    try expect(wrong)
  }

  @Test("two rooms with the same name are a warning and give a building")
  func sameName() {
    let text =
      "building: B\nmatch: any\nrooms:\n  - { room: R, minor: 1 }\n  - { room: R, minor: 2, id: other }\n"
    let reading = readManifest(Array(text.utf8), file: "b.yaml", families: .builtIn)
    #expect(reading.building?.rooms.count == 2)
    #expect(reading.diagnostics.map(\.severity) == [.warning])
    let small = text.replacing("room: R, minor: 2", with: "room: r, minor: 2")
    let three = readManifest(
      Array("\(small)  - { room: r, minor: 3, id: third }\n".utf8), file: "b.yaml", families: .builtIn)
    #expect(three.diagnostics.map(\.code) == [.similarRoom, .duplicateRoom])
  }

  @Test("an unknown key of more than 24 letters may be a secret, and is not shown", arguments: [24, 25])
  func longKey(count: Int) {
    let key = String(repeating: "x", count: count)
    let text = "building: B\nmatch: any\nrooms: [{ room: R, minor: 1, \(key): a }]\n"
    let shown = readManifest(Array(text.utf8), file: "b.yaml", families: .builtIn).rendered
    #expect(shown.contains("unknown key in a room") && shown.contains(key) == (count == 24), "\(shown)")
  }

  @Test(
    "an unquoted value in the quotation marks of a word processor is refused; one that only begins or ends so is read",
    arguments: [
      ("“Lobby”", true), ("„Lobby“", true), ("«Lobby»", true), ("‘Lobby\"", true), ("“”", true),
      ("“a”", true), ("“a\"”", true), ("€”", false),
      ("“", false), ("“Lobby", false), ("Lobby”", false), ("\"“Lobby”\"", false), ("é”", false),
      ("“Lobby„", false),
    ])
  func quotationMarks(written: String, isRefused: Bool) {
    let text = "building: B\nmatch: any\nrooms:\n  - { room: \(written), minor: 1, id: a }\n"
    let reading = readManifest(Array(text.utf8), file: "b.yaml", families: .builtIn)
    #expect(reading.diagnostics.map(\.code) == (isRefused ? [.typographicQuote] : []), "\(reading.rendered)")
  }

  @Test("all errors are reported together, in the order of the file")
  func together() {
    let text = """
      buildnig: B
      wifi: { guests: { ssid: "", password: short } }
      rooms:
        - { room: R, minor: 70000 }
        - { minor: 1, minor: 2, address: x }
      """
    let reading = readManifest(Array(text.utf8), file: "b.yaml", families: .builtIn)
    #expect(reading.diagnostics.map(\.range.start.line) == [1, 1, 2, 2, 4, 4, 5, 5, 5])
    #expect(reading.diagnostics.map(\.range.start) == reading.diagnostics.map(\.range.start).sorted())
  }

  @Test("findings of a kind are shown as one with their number and lines, and all are in the result")
  func grouped() {
    let rooms = (0..<300).map { "  - { room: R\($0), minor: \($0 == 7 ? 7 : 70000 + $0), id: r\($0) }\n" }
    let text = "building: B\nmatch: any\nrooms:\n\(rooms.joined())  - { room: R, minor: x }\n"
    let reading = readManifest(Array(text.utf8), file: "b.yaml", families: .builtIn)
    #expect(reading.diagnostics.count == 300)
    #expect(
      reading.rendered == """
        b.yaml:4:24: error: `minor` is 70000, outside of 0…65535, 299 times [out-of-range]
            4 |   - { room: R0, minor: 70000, id: r0 }
              |                        ^~~~~
            5 |   - { room: R1, minor: 70001, id: r1 }
              |                        ^~~~~
            6 |   - { room: R2, minor: 70002, id: r2 }
              |                        ^~~~~
              = also on lines 7–10, 12–303
        b.yaml:304:23: error: `minor` is not a whole number [not-a-number]
          304 |   - { room: R, minor: x }
              |                       ^
              = write only decimal digits, without leading zeros: 0…65535

        """)
  }

  @Test("at most 50 kinds of findings are shown, and errors take precedence over warnings")
  func bounded() {
    let keys = "abcdefgh".flatMap { first in "abcdefgh".map { "qx\(first)\($0)" } }
    let rooms = keys.enumerated().map { "  - { room: R\($0), minor: \($0), floor: 0x1, \($1): 1 }\n" }
    let text = "building: B\nmatch: any\nrooms:\n\(rooms.joined())"
    let rendered = readManifest(Array(text.utf8), file: "b.yaml", families: .builtIn).rendered
    #expect(rendered.split(separator: "error: ").count - 1 == DiagnosticFormatter.maximumFindings)
    #expect(!rendered.contains("warning: "), "\(rendered)")
    #expect(rendered.hasSuffix("b.yaml: \(2 * 64 - 50) more findings not shown\n"))
  }

  @Test(
    "errors in ten thousand rooms are counted within 5 min and show no password", .timeLimit(.minutes(60)))
  func many() {
    let rooms = (0..<10_000).map {
      "  - { room: R, minor: 5, adress: C4, wifi: { ssid: S\($0), password: secret-word-\($0) } }\n"
    }
    let text = "building: B\nrooms:\n" + rooms.joined()
    let reading = readManifest(Array(text.utf8), file: "b.yaml", families: .builtIn)
    #expect(reading.diagnostics.count > 40_000)
    #expect(!reading.rendered.contains("secret-word"))
  }
}
