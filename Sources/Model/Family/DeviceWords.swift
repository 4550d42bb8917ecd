/// What people call a device of a family, and how they see on the device itself what it is doing.
public struct DeviceWords: Hashable, Sendable {
  /// What to call one: `sensor`.
  public let noun: String
  /// How to get it to wait for provisioning, to follow a comma or "and"; nil when it can always be written.
  public let makeItWait: String?
  /// How to see that it waits for provisioning, as a condition at the beginning of a sentence.
  public let stillWaiting: String
  /// How to see that it does not, likewise.
  public let notWaiting: String
  /// What to know about addresses on its label, as a sentence; nil when nothing.
  public let label: String?
  /// What else to do when it does not answer a connection, as sentences; nil when nothing.
  public let notAnswering: String?
  /// What to do when its service is missing, instead of what helps with other devices, as sentences; nil when nothing.
  public let serviceMissing: String?

  /// Words; a plain set unless given.
  public init(
    noun: String = "device", makeItWait: String? = "put it into provisioning mode",
    stillWaiting: String = "If it is still in provisioning mode",
    notWaiting: String = "If it is not in provisioning mode", label: String? = nil,
    notAnswering: String? = nil, serviceMissing: String? = nil
  ) {
    self.noun = noun
    self.makeItWait = makeItWait
    self.stillWaiting = stillWaiting
    self.notWaiting = notWaiting
    self.label = label
    self.notAnswering = notAnswering
    self.serviceMissing = serviceMissing
  }
}
