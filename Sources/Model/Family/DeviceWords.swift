/// The words for messages about a device of a family.
package struct DeviceWords: Hashable, Sendable, Codable {
  /// The noun: `sensor`.
  package let noun: String
  /// How to put it into provisioning mode, to follow a comma or "and"; nil when it can always be written.
  package let makeItWait: String?
  /// How to see that it is in provisioning mode, as a condition at the beginning of a sentence.
  package let stillWaiting: String
  /// How to see that it is not, as a condition at the beginning of a sentence.
  package let notWaiting: String
  /// A note about the address on its label, as a sentence; nil without one.
  package let label: String?
  /// Further advice when a connection fails, as sentences; nil without any.
  package let notAnswering: String?
  /// The advice when its service is missing, as sentences; nil for the general advice.
  package let serviceMissing: String?
  /// What makes a run pair with it, as an imperative; nil if nothing can, or if each run does.
  package let toPair: String?

  enum CodingKeys: String, CodingKey {
    case noun
    case makeItWait = "make_it_wait"
    case stillWaiting = "still_waiting"
    case notWaiting = "not_waiting"
    case label
    case notAnswering = "not_answering"
    case serviceMissing = "service_missing"
    case toPair = "to_pair"
  }

  package init(
    noun: String = "device", makeItWait: String? = "put it into provisioning mode",
    stillWaiting: String = "If it is still in provisioning mode",
    notWaiting: String = "If it is not in provisioning mode", label: String? = nil,
    notAnswering: String? = nil, serviceMissing: String? = nil, toPair: String? = nil
  ) {
    (self.noun, self.makeItWait, self.stillWaiting) = (noun, makeItWait, stillWaiting)
    (self.notWaiting, self.label, self.notAnswering) = (notWaiting, label, notAnswering)
    (self.serviceMissing, self.toPair) = (serviceMissing, toPair)
  }
}
