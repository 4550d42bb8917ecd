import FoundationEssentials
import Model
import Session

extension EspIdf {
  /// Reads the QR code of a device, JSON, or a link with that JSON as `data` (docs/internals/protocols.md); or the name alone,
  /// as people type it.
  static func readLabel(_ text: String) throws(ProductLabelProblem) -> ProductLabel? {
    guard let json = try json(in: text) else {
      if isPart(text) { throw .damaged }
      return ProductLabel(name: text, of: .espIDF)
    }
    guard let content = try? JSONDecoder().decode(Label.self, from: Data(json.utf8)) else { throw .damaged }
    // JSON of another product.
    guard content.transport != nil || content.pop != nil else { return nil }
    // Decoding takes one of them.
    let keys = json.matches(of: /"(\w+)"\s*:/).map(\.1)
    if let repeated = Label.keys.first(where: { key in keys.count { $0 == key } > 1 }) {
      throw .repeated(repeated)
    }
    guard let transport = content.transport else { throw .missing("transport") }
    guard transport == "ble" else { throw transport == "softap" ? .notOverBluetooth : .invalid("transport") }
    guard content.network ?? "wifi" == "wifi" else { throw .notForWiFi }
    guard let name = content.name else { throw .missing("name") }
    guard DeviceReference.violation(ofName: name) == nil else { throw .invalid("name") }
    var secrets: [SettingName: Secret] = [.proofOfPossession: Secret(content.pop ?? "")]
    if let username = content.username, !username.isEmpty { secrets[.username] = Secret(username) }
    for (name, secret) in secrets {
      guard DeviceFamily.espIDF[name]?.violation(of: .secret(secret)) == nil else {
        throw .invalid(name.rawValue)
      }
    }
    return ProductLabel(name: name, secrets: secrets)
  }

  private struct Label: Decodable {
    var name: String?
    var pop: String?
    var username: String?
    var transport: String?
    var network: String?

    static let keys = ["name", "pop", "username", "transport", "network"]
  }

  private static func json(in text: String) throws(ProductLabelProblem) -> String? {
    let text = String(text.drop(while: \.isWhitespace))
    if text.first == "{" { return text }
    // A link may have the JSON as it is, encoded, or encoded without the braces.
    let link = text.contains("\"") ? text : text.replacing("{", with: "%7B").replacing("}", with: "%7D")
    let components = URLComponents(string: link)
    guard components?.scheme != nil else { return nil }
    let data = (components?.queryItems ?? []).filter { $0.name == "data" }.compactMap(\.value)
      .filter { $0.first == "{" }
    if data.count > 1 { throw .repeated("data") }
    return data.first
  }

  /// Whether a text that is no label has a key of one: the scanner lost its beginning or its end.
  private static func isPart(_ text: String) -> Bool {
    ["\"pop\"", "\"transport\"", "%22pop%22", "%22transport%22"].contains { text.contains($0) }
  }
}
