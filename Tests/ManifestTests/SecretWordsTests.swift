import Testing

@testable import Manifest

@Suite("Words for secrets")
struct SecretWordsTests {
  @Test(
    "a word for a secret is recognised, also misspelt",
    arguments: [
      "password", "Passwort", "WiFi-PSK: x", "my pwd", "kennwort", "WPA2", "topsecret", "pasword", "psasword",
      "passwrd",
      "a passw0rd", "pässword password", "pAsWoRd",
    ])
  func recognised(text: String) {
    #expect(SecretWords.occur(in: text))
  }

  @Test(
    "other words are not recognised as words for a secret",
    arguments: [
      "", "campus", "Room 301 of the campus", "pa ss", "ps k", "words", "swap", "Ostpreußen", "p-a-s-s",
      "Wasp",
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
