// blocks/discrete.eq: sampled signals. Between samples the outputs stand.

partial model DiscreteSISO "one input, one output that changes at samples only"
  parameter samplePeriod(min = 0, start = 0.1) : s "distance of the samples"
  parameter startTime : s = 0 "first sample"
  input u "input signal"
  output y "output signal"
  private variable sampleTrigger : Boolean = sample(startTime, samplePeriod)
end

model Sampler extends DiscreteSISO(y(start = 0, fixed)) "y = u at each sample, and initially where startTime is not later. [MSL]"
  when sampleTrigger or initial()
    y = if time >= startTime then u else pre(y)
  end
end

model ZeroOrderHold extends DiscreteSISO
  "As Sampler, with y one event iteration behind, which breaks algebraic loops: y = pre(ySample). [MSL]"
  output ySample(start = 0, fixed) "the last sample"
  when sampleTrigger or initial()
    ySample = if time >= startTime then u else pre(ySample)
  end
  y = pre(ySample)
end

model FirstOrderHold extends DiscreteSISO
  "y goes on from the last sample along the straight line through the last two. [MSL]"
  private discrete tSample : s "time of the last sample"
  private discrete uSample "the last sample"
  private discrete pre_uSample "the sample before"
  private discrete c "slope"
  private discrete firstTrigger(start = false) : Boolean "the last sample was the first"
  when initial() or sampleTrigger
    firstTrigger = initial() or time <= startTime + samplePeriod / 2
    tSample = time
    uSample = u
    pre_uSample = if initial() then u else pre(uSample)
    c = if firstTrigger then 0 else (uSample - pre_uSample) / samplePeriod
  end
  y = pre_uSample + c * (time - tSample)
end

model UnitDelay extends DiscreteSISO(y(start = y_start, fixed)) "y is u at the sample before. [MSL]"
  parameter y_start = 0 "initial value of y"
  private discrete kept(start = y_start, fixed) "u at the last sample"
  when sampleTrigger
    kept = u
    y = pre(kept)
  end
end

model DiscreteTransferFunction extends DiscreteSISO
  "y(z) = (b[1]*z^nb + ...)/(a[1]*z^na + ...)*u(z), in powers of z from the highest; x is the state of the controller canonical form. [MSL Discrete.TransferFunction]"
  parameter b[:] = {1} "coefficients of the numerator"
  parameter a[:] = {1} "coefficients of the denominator"
  private parameter na : Integer = size(a, 1)
  private parameter nb : Integer = size(b, 1)
  output x[na-1](start = 0, fixed) "state"
  private discrete x1 "newest value"
  assert nb <= na, "the numerator has a higher degree than the denominator", nb, na
  when sampleTrigger
    x1 = (u - sum(a[k+1] * pre(x[k]) for k in 1:na-1)) / a[1]
    for k in 1:na-1
      x[k] = if k == 1 then x1 else pre(x[max(k-1, 1)])
    end
    y = (if nb == na then b[1] * x1 else 0) + sum(b[k-na+nb+1] * pre(x[k]) for k in max(na-nb, 1):na-1)
  end
end

model TriggeredSampler "y = u whenever trigger becomes true. [MSL]"
  parameter y_start = 0 "initial value of y"
  input u "input signal"
  input trigger : Boolean "when to sample"
  output y(start = y_start, fixed) "output signal"
  when trigger
    y = u
  end
end

model TriggeredMax "y is the largest |u| at the times at which trigger became true. [MSL]"
  input u "input signal"
  input trigger : Boolean "when to sample"
  output y(start = 0, fixed) "output signal"
  when trigger
    y = max(pre(y), abs(u))
  end
end
