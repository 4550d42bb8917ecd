import FoundationEssentials

/// A value of a request's parameters.
indirect enum ShellyValue: Encodable, Sendable, ExpressibleByDictionaryLiteral, ExpressibleByStringLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
  case text(String)
  case flag(Bool)
  case object([String: ShellyValue])
  case null

  init(dictionaryLiteral elements: (String, ShellyValue)...) {
    self = .object(Dictionary(elements, uniquingKeysWith: { $1 }))
  }
  init(stringLiteral text: String) { self = .text(text) }
  init(booleanLiteral flag: Bool) { self = .flag(flag) }
  init(nilLiteral: ()) { self = .null }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .text(let text): try container.encode(text)
    case .flag(let flag): try container.encode(flag)
    case .object(let parts): try container.encode(parts)
    case .null: try container.encodeNil()
    }
  }
}

struct ShellyRequest: Encodable, Sendable {
  let id: Int
  let method: String
  let params: ShellyValue?
  let auth: ShellyAuthentication?

  /// As JSON. The order of the keys does not depend on chance.
  var bytes: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(self) else { preconditionFailure("texts can be encoded") }
    return [UInt8](data)
  }
}

/// What every frame of a device has; nil for bytes that are no JSON object.
struct ShellyAnswer: Decodable, Sendable {
  struct Refusal: Decodable, Hashable, Sendable {
    let code: Int
    let message: String

    private enum CodingKeys: CodingKey { case code, message }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      code = try container.decode(Int.self, forKey: .code)
      message = (try? container.decode(String.self, forKey: .message)) ?? ""
    }

    init(code: Int, message: String) { (self.code, self.message) = (code, message) }

    var text: String { message.isEmpty ? "error \(code)" : "error \(code): \(message)" }
  }

  static let unknownMethod = 404

  /// That of the request; nil for a notification.
  let id: Int?
  let refusal: Refusal?

  private enum CodingKeys: String, CodingKey {
    case id
    case refusal = "error"
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try? container.decode(Int.self, forKey: .id)
    refusal = try container.decodeIfPresent(Refusal.self, forKey: .refusal)
  }

  init?(_ bytes: [UInt8]) {
    guard let answer = try? JSONDecoder().decode(Self.self, from: Data(bytes)) else { return nil }
    self = answer
  }
}

/// The result of an answer; null for methods that only do something.
struct ShellyResult<Value: Decodable & Sendable>: Decodable, Sendable {
  let result: Value?
}

/// `Shelly.GetDeviceInfo`.
struct ShellyInfo: Decodable, Sendable {
  let id: String
  let mac: String
  let gen: Int
  let name: String?
  let model: String?
  let app: String?
  let ver: String?
  let auth_en: Bool?
}

/// `WiFi.GetStatus`.
struct ShellyStatus: Decodable, Sendable {
  let status: String
  let ssid: String?
  let sta_ip: String?

  var hasAddress: Bool { status == "got ip" }
}

/// `WiFi.GetConfig`.
struct ShellyNetworks: Decodable, Sendable {
  struct Station: Decodable, Sendable {
    let ssid: String?
    let enable: Bool?
  }

  let sta: Station
  let sta1: Station?

  /// The network that it is to join; nil for none.
  var ssid: String? {
    [sta, sta1].compactMap(\.self).first { $0.enable == true && $0.ssid?.isEmpty == false }?.ssid
  }
}

/// `Sys.GetStatus`, and the results of most settings.
struct ShellyRestart: Decodable, Sendable {
  let restart_required: Bool?
}

/// `WiFi.Scan`.
struct ShellyScan: Decodable, Sendable {
  struct Network: Decodable, Sendable {
    /// Null for a network that hides its name.
    let ssid: String?
    let rssi: Int
  }

  let results: [Network]
}
