import Families
import Source
import Testing

@testable import Manifest

@Suite("Words for secrets")
struct SecretWordsTests {
  @Test(
    "a word for a secret is recognised, also misspelt",
    arguments: [
      "password", "Passwort", "WiFi-PSK: x", "my pwd", "kennwort", "WPA2", "topsecret", "pasword", "psasword",
      "passwrd",
      "a passw0rd", "pässword password", "pAsWoRd", "paswrd", "assord", "a pasword", "psk kps",
    ])
  func recognised(text: String) {
    #expect(SecretWords.occur(in: text))
  }

  @Test(
    "other words are not recognised as words for a secret",
    arguments: [
      "", "campus", "Room 301 of the campus", "pa ss", "ps k", "words", "swap", "Ostpreußen", "p-a-s-s",
      "Wasp", "sswor",
    ])
  func otherWords(text: String) {
    #expect(!SecretWords.occur(in: text))
  }

  @Test("the search by bytes and the search by letters agree on any text", arguments: 0..<20)
  func bytes(seed: Int) {
    var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 &+ 1
    func next(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % count
    }
    let letters = Array("paswordkecitn PSWD-_1é")
    for _ in 0..<500 {
      var text = next(3) == 0 ? "password" : String((0..<next(24)).map { _ in letters[next(letters.count)] })
      for _ in 0..<next(4) where !text.isEmpty {
        let index = text.index(text.startIndex, offsetBy: next(text.count))
        if next(2) == 0 {
          text.remove(at: index)
        } else {
          text.insert(letters[next(letters.count)], at: index)
        }
      }
      #expect(SecretWords.occur(in: text) == SecretWords.occurInWords(of: text), "\(text)")
    }
  }
}

@Suite("Similar words")
struct SimilarWordsTests {
  @Test(
    "the nearest of the known words is proposed, if it differs in at most a third of its letters and in three",
    arguments: [
      ("rom", "room"), ("rooom", "room"), ("rmoo", nil), ("a", "ab"), ("q", nil), ("MINOR", "minor"),
      ("mnior", "minor"), ("imnor", "minor"), ("mxior", nil), ("mnxor", nil), ("rtris", "retries"),
      ("wifi_pasword", "wifi_password"), ("wfi_pasword", "wifi_password"), ("wfi_paswrd", "wifi_password"),
      ("wfi_paswr", nil), ("rooms", "rooms"), ("room", "room"), ("proof", nil),
      (String(repeating: "x", count: 40), String(repeating: "x", count: 39)),
      (String(repeating: "x", count: 41), nil),
    ] as [(String, String?)])
  func nearest(word: String, known: String?) {
    let all = [
      "room", "rooms", "minor", "wifi_password", "retries", "ab", "z", String(repeating: "x", count: 39),
    ]
    #expect(Vocabulary.nearest(to: word, of: all) == known)
  }
}

@Suite("Ids that are made of names")
struct SlugTests {
  @Test(
    "an id has at most 64 bytes and no hyphen at its ends",
    arguments: [
      (String(repeating: "ab", count: 33), String(repeating: "ab", count: 32)),
      (String(repeating: "a", count: 63) + " b", String(repeating: "a", count: 63)), ("A!", "a"), ("!A", "a"),
    ])
  func ends(name: String, id: String) {
    #expect(Slug.make(of: name) == id)
    #expect(Slug.isValid(id) && !Slug.isValid(id + "-") && !Slug.isValid("-" + id))
  }
}

@Suite("Lines that are not YAML")
struct UnparsedLineTests {
  @Test(
    "a line is shown up to what may be a secret; a range of rooms in braces is part of a name",
    arguments: [
      ("room: Room {301..304}, minor: 1", "room: Room {301..304}, minor: 1"),
      ("room: Room {A1, B2 .. C3}", "room: Room {A1, B2 .. C3}"), ("room: Room {301–304}", "room: Room {"),
      ("room: Room {30ê}, minor: 1", "room: Room {"), ("room: {301..304}", "room: {301..304}"),
      ("mïnor: 1", ""), ("minor {1}", ""), ("minor:102", "minor:102"), ("wifi:x", ""),
      ("rooms: [{ room: A", "rooms: [{ room: A"), ("floor: 3 {4}", "floor: 3 {"),
      ("password: { file: x }", "password: "), ("room: my password x", "room: "), ("room: a: b", "room: "),
      ("room: a:", "room: "), ("room: a | b", "room: "), ("room: >-", "room: "), ("room: &a", "room: "),
      ("room: *a", "room: "), ("room: R #" + String(repeating: "x", count: 1991), "room: R "),
      ("room: R #" + String(repeating: "x", count: 1992), ""),
    ])
  func shown(line: String, start: String) {
    let source = SourceText(Array((line + "\n").utf8))
    let pieces = UnparsedLine(1, of: source, Vocabulary(.builtIn)).pieces
    let shown = pieces.filter(\.isShown).map { String(decoding: source.bytes[$0.bytes], as: UTF8.self) }
    #expect(shown.joined() == start)
  }

  @Test(
    "an indented line is shown below a key without a value that is no word for a secret",
    arguments: [
      ("rooms:", true), ("rooms: # all", true), ("rooms:\n# all: 2\n\n  minor: 1", true),
      ("rooms:\n- minor: 1", true),
      ("password:", false), ("rooms: x", false), ("  rooms:", false), ("-", false),
      ("rooms:" + String(repeating: "\n", count: 4999), true),
      ("rooms:" + String(repeating: "\n", count: 5000), false),
    ])
  func indented(above: String, isShown: Bool) {
    let source = SourceText(Array((above + "\n  room: A").utf8))
    let pieces = UnparsedLine(source.lineCount, of: source, Vocabulary(.builtIn)).pieces
    #expect(pieces.map(\.isShown) == (isShown ? [true] : [true, false]))
  }
}
