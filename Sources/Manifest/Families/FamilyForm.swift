import Model

/// The words of a family file.
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
  }

  enum Kind: String, CaseIterable {
    case integer, text, password, uuid, choice, duration
  }

  enum Access: String, CaseIterable {
    case provisioningMode = "provisioning_mode"
    case anyTime = "any_time"

    var lifecycle: Lifecycle { self == .anyTime ? .rewritable : .provisioningMode }
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
  }

  enum Identity: String, CaseIterable {
    case any, none, expected, factory
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
  }
}
