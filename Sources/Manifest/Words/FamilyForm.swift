import Model

/// The words of a family file.
enum FamilyForm {
  /// Words, each with its meaning.
  typealias Words<Meaning> = [(word: String, meaning: Meaning)]

  /// How a value is encoded.
  static let encodings: Words<WireEncoding> = [
    ("utf8", .utf8), ("uint8", .uint8), ("uint16_le", .uint16(.littleEndian)),
    ("uint16_be", .uint16(.bigEndian)), ("uuid", .uuid),
  ]

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
    case integer, text, password, uuid, choice, duration
  }

  enum Identity: String, CaseIterable {
    case any, none, expected, factory
  }
}
