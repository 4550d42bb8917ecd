import Model

/// The words of a family file, each with its meaning.
enum FamilyForm {
  /// How a value is encoded.
  enum Encoding: String, CaseIterable {
    case utf8
    case uint8
    case uint16LittleEndian = "uint16_le"
    case uint16BigEndian = "uint16_be"
    case uuid

    var wire: WireEncoding {
      switch self {
      case .utf8: .utf8
      case .uint8: .uint8
      case .uint16LittleEndian: .uint16(.littleEndian)
      case .uint16BigEndian: .uint16(.bigEndian)
      case .uuid: .uuid
      }
    }

    var meaning: String {
      switch self {
      case .utf8: "Text; the rest of the value."
      case .uint8: "One byte."
      case .uint16LittleEndian: "Two bytes, the least significant first."
      case .uint16BigEndian: "Two bytes, the most significant first."
      case .uuid: "16 bytes in the UUID's own order."
      }
    }
  }

  enum Kind: String, CaseIterable {
    case integer, text, password, uuid, choice, duration

    var meaning: String {
      switch self {
      case .integer: "A whole number within `range`."
      case .text: "Text of as many bytes as `bytes`."
      case .password: "A WiFi password. It is never read back and never shown."
      case .uuid: "A UUID of 16 bytes."
      case .choice: "One of `values`."
      case .duration: "A time within `range`, in steps of `step`."
      }
    }
  }

  enum Access: String, CaseIterable {
    case provisioningMode = "provisioning_mode"
    case anyTime = "any_time"

    var lifecycle: Lifecycle { self == .anyTime ? .rewritable : .provisioningMode }

    var meaning: String {
      switch self {
      case .provisioningMode: "It takes settings only in provisioning mode, which a person starts."
      case .anyTime: "It takes settings at any time, also while it is at work."
      }
    }
  }

  enum State: String, CaseIterable {
    case waiting, configured, present

    var recognised: RecognitionRule.State {
      switch self {
      case .waiting: .waiting
      case .configured: .configured
      case .present: .present
      }
    }

    var meaning: String {
      switch self {
      case .waiting: "It is new, or in provisioning mode."
      case .configured: "It is configured, perhaps for another room."
      case .present: "It is there; its advertisement does not show its state."
      }
    }
  }

  enum Identity: String, CaseIterable {
    case any, none, expected, factory

    var meaning: String {
      switch self {
      case .any: "Any identity."
      case .none: "No identity."
      case .expected: "All parts of the identity but the last are those of the factory or of a room."
      case .factory: "The first part of the identity is that of a device that nobody configured."
      }
    }
  }

  enum Proof: String, CaseIterable {
    case beacon
    case readBack = "read_back"
    case status, disconnection

    /// A lost link ends after 420 ms at the earliest (the kernel's supervision timeout).
    var rule: ProofRule {
      switch self {
      case .beacon: .onAir
      case .readBack: .readBack
      case .status: .status
      case .disconnection: .selfDisconnect(within: .milliseconds(400))
      }
    }

    var meaning: String {
      switch self {
      case .beacon: "Its identity on air, received after the settings were sent."
      case .readBack: "Everything that can be read was read back."
      case .status: "It reported over the link that it has them (`status`, `saved`)."
      case .disconnection: "It ends the link itself within 0.4 s. This is weak: a lost link looks the same."
      }
    }
  }
}
