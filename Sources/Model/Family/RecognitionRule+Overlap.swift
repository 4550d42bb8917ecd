extension DeviceFamily {
  /// Whether something that devices of one of these families send is certainly recognised as both, with nothing that
  /// decides between them. Other overlaps appear only on air (`FamilyCatalogue.rivals`).
  package func certainlyMeets(_ other: DeviceFamily) -> Bool {
    recognition.contains { own in
      other.recognition.contains { theirs in
        own.isUndecided(self, other, implying: theirs) || theirs.isUndecided(other, self, implying: own)
      }
    }
  }
}

extension RecognitionRule {
  /// Whether each advertisement that meets this rule of a family also meets a rule of another, and offers the service of
  /// both or of neither.
  fileprivate func isUndecided(
    _ family: DeviceFamily, _ other: DeviceFamily, implying rule: RecognitionRule
  ) -> Bool {
    let isSameIdentity =
      switch (family.identity, other.identity) {
      case (let own?, let theirs?): own.hasFormat(of: theirs)
      default: false
      }
    guard
      rule.conditions.allSatisfy({ wanted in
        conditions.contains { $0.implies(wanted, family.identity, isSameIdentity) }
      })
    else { return false }
    return conditions.contains(.service(family.service)) == conditions.contains(.service(other.service))
  }
}

extension RecognitionRule.Condition {
  /// Whether an advertisement that meets this condition certainly meets another one.
  /// - Parameters:
  ///   - identity: the identity rule that this condition is about.
  ///   - isSameIdentity: whether the other condition is about identities of the same format.
  fileprivate func implies(_ other: Self, _ identity: IdentityRule?, _ isSameIdentity: Bool) -> Bool {
    switch (self, other) {
    case (.name(let name), .namePrefix(let prefix)), (.namePrefix(let name), .namePrefix(let prefix)):
      name.hasPrefix(prefix)
    case (.serviceData(let uuid, let bytes), .serviceData(let other, let start)):
      uuid == other && bytes.starts(with: start)
    case (.manufacturerData(let company, let bytes), .manufacturerData(let other, let start)):
      company == other && bytes.starts(with: start)
    case (.identityOf, .identity), (.expectedIdentity, .identity): isSameIdentity
    case (.identity, .identity), (.noIdentity, .noIdentity), (.identityOf, .identityOf),
      (.expectedIdentity, .expectedIdentity):
      isSameIdentity && self == other
    case (.identity, .manufacturerData(let company, let start)),
      (.identityOf, .manufacturerData(let company, let start)),
      (.expectedIdentity, .manufacturerData(let company, let start)):
      identity?.place == .manufacturerData(company: company)
        && identity?.prefix.starts(with: start) ?? false
    default: self == other
    }
  }
}
