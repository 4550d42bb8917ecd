import EspMessages
import SwiftProtobuf

/// The endpoint by which RainMaker, Espressif's cloud, learns whose device this is (`esp_rmaker_user_mapping.proto`).
package enum RainMaker {
  package static let endpoint = "cloud_user_assoc"

  package enum Answer: Hashable, Sendable {
    /// The name under which its cloud knows the device.
    case node(String)
    case refused(String)

    /// Nil for other bytes.
    package init?(_ bytes: [UInt8]) {
      guard let answer = try? EspUserMapping(serializedBytes: bytes), answer.msg == 1,
        case .response(let response)? = answer.payload
      else { return nil }
      switch response.status {
      case 0:
        if response.nodeID.isEmpty { return nil }
        self = .node(response.nodeID)
      case 1: self = .refused("\(endpoint): invalid parameter")
      case 2: self = .refused("\(endpoint): invalid state")
      default: self = .refused("\(endpoint): status \(response.status)")
      }
    }
  }
}
