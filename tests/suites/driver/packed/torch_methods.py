# PyTorch's methods and gradients on the GPU against the same on the processor.
import torch

UNARY = "abs sin cos exp log1p sqrt rsqrt tanh sigmoid relu floor ceil round sign square reciprocal erf neg isnan".split()
BINARY = "add sub mul maximum minimum atan2 lt ge eq".split()
REDUCTION = "sum mean amax amin prod argmax cumsum sort norm logsumexp softmax".split()
compared = 0


def same(name, got, want):
    global compared
    got, want = (values if isinstance(values, (tuple, list)) else [values] for values in (got, want))
    for one, right in zip(got, want):
        compared += 1
        near = 2e-2 if right.dtype == torch.bfloat16 else 2e-3
        torch.testing.assert_close(one.cpu(), right, rtol=near, atol=near, msg=lambda text: f"{name}: {text}")


torch.manual_seed(7)
for dtype in [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int32, torch.int64, torch.uint8]:
    for shape in [(1,), (1000,), (37, 29), (3, 17, 5)]:
        a, b = ((torch.rand(shape) * 0.9 + 0.05).to(dtype) if dtype.is_floating_point else torch.randint(0, 9, shape, dtype=dtype)
                for _ in range(2))
        x, y = a.cuda(), b.cuda()
        for name in UNARY if dtype.is_floating_point else ["abs", "sign", "square"]:
            if not (dtype == torch.uint8 and name == "abs"):
                same(name, getattr(x, name)(), getattr(a, name)())
        for name in BINARY if dtype in (torch.float32, torch.float64) else BINARY[:3]:
            same(name, getattr(torch, name)(x, y), getattr(torch, name)(a, b))
        if dtype in (torch.float32, torch.float64):
            for name in REDUCTION:
                same(name, getattr(torch, name)(x, dim=-1), getattr(torch, name)(a, dim=-1))
        same("where", torch.where(x > y, x, y), torch.where(a > b, a, b))
        same("transposed", x.transpose(0, -1) + y.transpose(0, -1), a.transpose(0, -1) + b.transpose(0, -1))
        same("cat", torch.cat([x, y], dim=-1), torch.cat([a, b], dim=-1))
        same("index", x[..., :1].expand_as(x) + x, a[..., :1].expand_as(a) + a)

layers = [torch.nn.Conv2d(3, 8, 3), torch.nn.BatchNorm2d(8), torch.nn.GELU(), torch.nn.MaxPool2d(2), torch.nn.Flatten(),
          torch.nn.Linear(8 * 7 * 7, 10), torch.nn.LayerNorm(10)]
model = torch.nn.Sequential(*layers).double()
images = torch.rand(4, 3, 16, 16, dtype=torch.float64)
gradients = []
for device in ["cpu", "cuda"]:
    model = model.to(device)
    model.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(images.to(device)), torch.arange(4, device=device))
    loss.backward()
    gradients.append([loss.detach()] + [parameter.grad.clone() for parameter in model.parameters()])
same("gradients", gradients[1], [gradient.cpu() for gradient in gradients[0]])
optimizer = torch.optim.Adam(model.parameters(), foreach=True)
optimizer.step()
torch.cuda.synchronize()
print(f"PASS: {compared} results")
