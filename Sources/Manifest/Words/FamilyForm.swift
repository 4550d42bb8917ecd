import Model

/// The words of a family file.
enum FamilyForm {
  /// Words, each with its meaning.
  typealias Words<Meaning> = [(word: String, meaning: Meaning)]

  /// How a value is encoded; `utf8_16` and the like besides (`filled`).
  static let encodings: Words<WireEncoding> = {
    var words: Words<WireEncoding> = [
      ("utf8", .utf8), ("utf8_counted", .counted), ("uuid", .uuid), ("bytes", .bytes(nil)),
    ]
    for (name, isSigned) in [("uint", false), ("int", true)] {
      words.append(("\(name)8", .number(bytes: 1, isSigned: isSigned, .bigEndian)))
      for (count, order) in (2...8).flatMap({ count in orders.map { (count, $0) } }) {
        let encoding = WireEncoding.number(bytes: count, isSigned: isSigned, order.meaning)
        words.append(("\(name)\(8 * count)\(order.word)", encoding))
      }
    }
    return words
  }()

  private static let orders: Words<WireEncoding.ByteOrder> = [("_le", .littleEndian), ("_be", .bigEndian)]

  /// Text of a fixed length in bytes: `utf8_16`.
  static func filled(_ word: String) -> WireEncoding? {
    guard word.hasPrefix("utf8_") else { return nil }
    return Written.integer(String(word.dropFirst(5))).flatMap {
      (1...CharacteristicDescription.longest).contains($0) ? .filled($0) : nil
    }
  }

  static let checks: Words<PacketCheck> = {
    var words: Words<PacketCheck> = []
    for kind in PacketCheck.Kind.allCases {
      for order in kind.length == 1 ? [(word: "", meaning: .bigEndian)] : orders {
        words.append((kind.rawValue + order.word, PacketCheck(kind, order.meaning)))
      }
    }
    return words
  }()

  static let access: Words<Lifecycle> = [
    ("provisioning_mode", .provisioningMode), ("any_time", .rewritable),
  ]

  static let pairings: Words<PairingDemand> = PairingDemand.allCases.map { ($0.rawValue, $0) }

  /// What makes a run pair with a device whose family is not paired.
  static let toPair = "set `pairing: just_works` in the file of its family"

  /// What rooms give for a family that is paired with a passkey.
  static let passkey = SettingDescription(
    .passkey, "passkey", .passkey, isRequired: true, isShareable: true, isOnLabel: true,
    documentation: "The six digits on its label with which it is paired.")

  static let states: Words<RecognitionRule.State> = [
    ("waiting", .waiting), ("configured", .configured), ("present", .present),
  ]

  /// A lost link ends after 420 ms at the earliest (the kernel's supervision timeout).
  static let proofs: Words<ProofRule> = [
    ("beacon", .onAir), ("read_back", .readBack), ("status", .status),
    ("disconnection", .selfDisconnect(within: .milliseconds(400))),
  ]

  enum Kind: String, CaseIterable {
    case integer, decimal, text, bytes, password, uuid, choice, duration
  }

  enum Identity: String, CaseIterable {
    case any, none, expected, factory
  }
}
