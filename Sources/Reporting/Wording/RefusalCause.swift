import Model

/// The cause in a device's own error message. It takes precedence over an inferred cause.
enum RefusalCause: Hashable, CaseIterable {
  /// It cannot store the settings.
  case storage
  /// Its battery or supply is too weak.
  case power
  /// A value is too long or too short.
  case length
  /// The network gave it no IP address.
  case ipAddress
  /// The network does not accept the password.
  case password
  /// It does not receive the network.
  case network
  /// It does something else.
  case busy

  /// The cause that a message names; nil when it names none.
  init?(_ message: String) {
    let words = Set(
      message.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "-" }.map(String.init))
    let text = " " + message.lowercased().replacing("_", with: " ").replacing("-", with: " ")
    guard
      let cause = Self.allCases.first(where: { cause in
        cause.phrases.contains { text.contains($0) } || !words.isDisjoint(with: cause.words)
      })
    else { return nil }
    self = cause
  }

  /// Parts of messages that name the cause.
  private var phrases: [String] {
    switch self {
    case .storage: ["flash", "nvs", "eeprom", "memory", "storage", "no space"]
    case .power: ["battery", "voltage", "brown out", "brownout", "low power"]
    case .length: ["length", "too long", "too short", "too large"]
    case .ipAddress: ["dhcp", "ip address", "no ip", "gateway"]
    case .password: ["password", "passphrase", "auth", "handshake", "wrong key", "credential"]
    case .network: ["ssid", "no ap", "network not found", "ap not found"]
    case .busy: ["busy", "not ready", "try again"]
    }
  }

  /// Whole words that name the cause.
  private var words: Set<String> {
    switch self {
    case .length: ["len"]
    case .password: ["psk", "key"]
    case .storage, .power, .ipAddress, .network, .busy: []
    }
  }

  /// The advice; nil where the room has no WiFi and the message is about WiFi.
  func advice(in context: SentenceContext) -> String? {
    let wait = "Then \(context.waitAndRun)."
    switch self {
    case .storage:
      return "\(context.restart.uppercasedFirst). \(context.againOrReplace)"
    case .power:
      return "Check its battery or power supply. \(wait)"
    case .length:
      return "Check the lengths of the texts in the manifest: this firmware may take less. \(wait)"
    case .busy:
      return "\(context.restart.uppercasedFirst). \(context.again)"
    case .ipAddress where context.hasWiFi:
      return "The WiFi gave it no IP address: check the DHCP server and its free addresses. \(wait)"
    case .password where context.hasWiFi:
      return "Check the WiFi password in the manifest. \(wait)"
    case .network where context.hasWiFi:
      return
        "Check the WiFi name in the manifest, and that the network has 2.4 GHz and reaches this room. \(wait)"
    case .ipAddress, .password, .network:
      return nil
    }
  }
}
